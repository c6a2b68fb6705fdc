/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Progress by the numbers that the machine file has, in predictions and walks.
 */
#include "calibrated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_file.h"

struct cli_machine_numbers {
    char *path, *name; /* name: what is said of it in a curve's engine */
    cli_machine_file file;
};

bool cli_take_machine(cli_options *options)
{
    if (!options->progress.by_default)
        return true;
    char *path = options->machine ? cli_text("%s", options->machine) : cli_machine_file_place();
    cli_machine_file file = {0};
    cli_read got = path ? cli_machine_file_read(path, &file) : CLI_READ_NONE;
    if (got == CLI_READ_NONE && options->machine)
        cli_error(options, "%s: there is no such file; pluss calibrate makes it", path);
    if (got != CLI_READ) {
        free(path);
        return got == CLI_READ_NONE && !options->machine;
    }
    const char *last = strrchr(path, '/');
    options->numbers = cli_alloc(1, sizeof *options->numbers);
    *options->numbers =
        (struct cli_machine_numbers){path, cli_text("%s", last ? last + 1 : path), file};
    return true;
}

void cli_free_machine(cli_options *options)
{
    struct cli_machine_numbers *m = options->numbers;
    if (!m)
        return;
    cli_machine_file_free(&m->file);
    free(m->path);
    free(m->name);
    free(m);
    options->numbers = NULL;
}

static void set_rates(const cli_rates *r, pluss_progress *p)
{
    p->sigma = r->sigma;
    p->skew = r->skew;
    p->skew_spread = r->skew_spread;
    p->stall_rate = r->stall_rate;
    p->stall = r->stall;
}

typedef const cli_calibrated *(*lookup)(const cli_machine_file *, const char *, const char *,
                                        uint32_t);

/* The nest's only region; NULL: it has several, or `find` finds nothing of it. */
static const cli_calibrated *region_of(const cli_options *options, const pluss_nest *nest,
                                       uint32_t team, lookup find)
{
    pluss_region_info region = {.size = sizeof region}, second = {.size = sizeof second};
    if (pluss_nest_get_region(nest, 0, &region) || !pluss_nest_get_region(nest, 1, &second))
        return NULL;
    return find(&options->numbers->file, region.name, region.file, team);
}

/* The time slice over the time of an access, whole accesses. The time is the region's with this
 * team, or with another, which is nearer than that of other code; or of all regions. */
static void use_slices(const cli_options *options, const pluss_nest *nest, uint32_t team,
                       cli_progress *room)
{
    const double usual_access = 1; /* ns */
    const cli_machine_file *file = &options->numbers->file;
    const cli_calibrated *c = region_of(options, nest, team, cli_machine_file_nearest);
    double access = c ? c->all.access : file->all.access;
    double length = round((file->slice > 0 ? file->slice : CLI_USUAL_SLICE) /
                          (access > 0 ? access : usual_access));
    length = fmin(fmax(length, 1), CLI_MOST_SLICE);
    room->progress.accesses = length;
    if (!(access > 0) && !(file->slice > 0))
        return;
    char with[32] = "";
    if (c && c->team != team)
        snprintf(with, sizeof with, ", %u threads", c->team);
    const char *whose = c ? with : access > 0 ? ", all regions" : ", its slice alone";
    room->name = cli_text("%s%s", options->numbers->name, whose);
    room->progress.origin = room->name;
}

static void use_rates(const cli_options *options, const pluss_nest *nest, uint32_t team,
                      cli_progress *room)
{
    const cli_calibrated *c = region_of(options, nest, team, cli_machine_file_find);
    set_rates(c ? &c->all : &options->numbers->file.all, &room->progress);
    room->name = cli_text("%s%s", options->numbers->name, c ? "" : ", all regions");
    room->progress.origin = room->name;
    if (c) {
        room->loops = cli_alloc(c->n_loops, sizeof *room->loops);
        for (size_t i = 0; i < c->n_loops; i++)
            room->loops[i] =
                (pluss_loop_rates){c->loop[i].loop, c->loop[i].rates, c->loop[i].costs};
        room->progress.rates = c->rates;
        room->progress.n_rates = c->team;
        room->progress.loops = room->loops;
        room->progress.n_loops = c->n_loops;
    }
}

void cli_use_machine(pluss_context *ctx, const cli_options *options, const pluss_nest *nest,
                     uint32_t team, cli_progress *room, pluss_options *o)
{
    *room = (cli_progress){.progress = options->progress};
    if (options->numbers && cli_progress_is(&room->progress, "slices"))
        use_slices(options, nest, team, room);
    else if (options->numbers)
        use_rates(options, nest, team, room);
    if (options->numbers)
        cli_must(pluss_options_set_progress(ctx, o, &room->progress));
}
void cli_free_progress(cli_progress *room)
{
    free(room->loops);
    free(room->name);
}

pluss_status cli_run_calibrated(pluss_context *ctx, const cli_options *options, cli_engine engine,
                                const pluss_nest *nest, pluss_result **out)
{
    pluss_options *o = cli_engine_options(ctx, options, nest);
    pluss_result *all = NULL;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < options->n_teams && !status; i++) {
        pluss_result *result = NULL;
        cli_progress room;
        cli_must(pluss_options_set_threads(ctx, o, &options->team[i], 1));
        cli_use_machine(ctx, options, nest, options->team[i], &room, o);
        status = engine(ctx, nest, o, &result);
        if (!status)
            status = cli_append(ctx, &all, result);
        cli_free_progress(&room);
    }
    pluss_options_free(o);
    if (status)
        pluss_result_free(all);
    else
        *out = all;
    return status;
}

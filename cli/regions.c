/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a file to a report: what predict and simulate do alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrated.h"

bool cli_region_wanted(const cli_options *options, const char *name)
{
    for (size_t i = 0; i < options->n_regions; i++)
        if (strcmp(options->region[i], name) == 0)
            return true;
    return options->n_regions == 0;
}

static bool has_region(const pluss_nests *nests, const char *name)
{
    pluss_region_info region = {.size = sizeof region};
    for (size_t n = 0; n < pluss_nests_count(nests); n++)
        for (uint32_t r = 0; !pluss_nest_get_region(pluss_nests_get(nests, n), r, &region); r++)
            if (strcmp(region.name, name) == 0)
                return true;
    return false;
}

bool cli_holds_regions(const cli_options *options, const pluss_nests *nests)
{
    pluss_region_info info = {.size = sizeof info};
    for (size_t i = 0; i < pluss_nests_count(nests); i++)
        if (!pluss_nest_get_region(pluss_nests_get(nests, i), 0, &info))
            return true;
    cli_error(options, "%s holds no loop nests; was it compiled with pluss cc?", options->file[0]);
    return false;
}

bool cli_regions_exist(const cli_options *options, const pluss_nests *nests)
{
    for (size_t i = 0; i < options->n_regions; i++)
        if (!has_region(nests, options->region[i])) {
            cli_error(options, "%s has no region '%s'; pluss nests lists them", options->file[0],
                      options->region[i]);
            return false;
        }
    return true;
}

/* ---- what to run ----------------------------------------------------------------------------- */

/* Nests to be run one by one. */
typedef struct units {
    pluss_nest **nest;
    size_t n;
} units;

static void free_units(units *u)
{
    for (size_t i = 0; i < u->n; i++)
        pluss_nest_free(u->nest[i]);
    free(u->nest);
}

static pluss_status take_regions(pluss_context *ctx, const cli_options *options,
                                 const pluss_nest *nest, units *u)
{
    pluss_region_info region = {.size = sizeof region};
    for (uint32_t r = 0; !pluss_nest_get_region(nest, r, &region); r++) {
        if (!cli_region_wanted(options, region.name))
            continue;
        u->nest = cli_grow(u->nest, u->n, sizeof *u->nest);
        pluss_status status = pluss_nest_extract(ctx, nest, r, &u->nest[u->n]);
        if (status)
            return status;
        u->n++;
    }
    return PLUSS_OK;
}

static pluss_status join_units(pluss_context *ctx, units *u)
{
    pluss_nest *whole = NULL;
    pluss_status status = pluss_nest_join(ctx, (const pluss_nest *const *)u->nest, u->n, &whole);
    if (status)
        return status;
    free_units(u);
    u->nest = cli_grow(NULL, 0, sizeof *u->nest);
    u->nest[0] = whole;
    u->n = 1;
    return PLUSS_OK;
}

/* NAME, or REGION.NAME. */
static bool names(const pluss_nest *nest, const char *text, const char *name, int32_t of_region)
{
    pluss_region_info region = {.size = sizeof region};
    if (strcmp(text, name) == 0)
        return true;
    if (of_region < 0 || pluss_nest_get_region(nest, (uint32_t)of_region, &region))
        return false;
    size_t length = strlen(region.name);
    return strncmp(text, region.name, length) == 0 && text[length] == '.' &&
           strcmp(text + length + 1, name) == 0;
}

static bool names_array(const pluss_nest *nest, const char *text)
{
    pluss_array_info array = {.size = sizeof array};
    for (uint32_t i = 0; !pluss_nest_get_array(nest, i, &array); i++)
        if (names(nest, text, array.name, array.region))
            return true;
    return false;
}

/* Puts the contents given with --contents into the arrays that the nest has. */
static pluss_status fill_unit(pluss_context *ctx, const cli_options *options, pluss_nest **nest)
{
    pluss_contents *contents = cli_alloc(options->n_contents, sizeof *contents);
    pluss_nest *filled = NULL;
    size_t n = 0;
    for (size_t i = 0; i < options->n_contents; i++) {
        const cli_contents *c = &options->contents[i];
        if (names_array(*nest, c->array))
            contents[n++] = (pluss_contents){c->array, c->values, c->n};
    }
    pluss_status status = n ? pluss_nest_with_contents(ctx, *nest, contents, n, &filled) : PLUSS_OK;
    free(contents);
    if (filled) {
        pluss_nest_free(*nest);
        *nest = filled;
    }
    return status;
}

static pluss_status make_units(pluss_context *ctx, const cli_options *options,
                               const pluss_nests *nests, units *u)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < pluss_nests_count(nests) && !status; i++)
        status = take_regions(ctx, options, pluss_nests_get(nests, i), u);
    if (!status && options->together)
        status = join_units(ctx, u);
    for (size_t i = 0; i < u->n && !status; i++)
        status = fill_unit(ctx, options, &u->nest[i]);
    return status;
}

/* ---- bindings: each nest gets those that it has symbols for ---------------------------------- */

bool cli_names_symbol(const pluss_nest *nest, const char *text)
{
    pluss_symbol_info symbol = {.size = sizeof symbol};
    for (uint32_t i = 0; !pluss_nest_get_symbol(nest, i, &symbol); i++)
        if (names(nest, text, symbol.name, symbol.region))
            return true;
    return false;
}

static bool bindings_exist(const cli_options *options, const pluss_nests *nests)
{
    bool good = true;
    for (size_t b = 0; b < options->n_bindings; b++) {
        bool found = false;
        for (size_t i = 0; i < pluss_nests_count(nests) && !found; i++)
            found = cli_names_symbol(pluss_nests_get(nests, i), options->binding[b].name);
        if (!found)
            cli_error(options, "-D %s: %s has no symbol of this name", options->binding[b].name,
                      options->file[0]);
        good = good && found;
    }
    return good;
}

static bool contents_exist(const cli_options *options, const pluss_nests *nests)
{
    bool good = true;
    for (size_t c = 0; c < options->n_contents; c++) {
        bool found = false;
        for (size_t i = 0; i < pluss_nests_count(nests) && !found; i++)
            found = names_array(pluss_nests_get(nests, i), options->contents[c].array);
        if (!found)
            cli_error(options, "--contents %s: %s has no array of this name",
                      options->contents[c].array, options->file[0]);
        good = good && found;
    }
    return good;
}

void cli_must(pluss_status status)
{
    if (status)
        cli_no_memory();
}

static void set_flag(pluss_context *ctx, pluss_options *o, const char *name, bool flag)
{
    cli_must(pluss_options_set_integer(ctx, o, name, flag));
}

static void set_number(pluss_context *ctx, pluss_options *o, const char *name, uint64_t number)
{
    if (number)
        cli_must(pluss_options_set_integer(ctx, o, name, (int64_t)number));
}

pluss_options *cli_engine_options(pluss_context *ctx, const cli_options *options,
                                  const pluss_nest *nest)
{
    pluss_options *o = NULL;
    cli_must(pluss_options_new(ctx, &o));
    cli_must(pluss_options_set_threads(ctx, o, options->team, options->n_teams));
    for (size_t b = 0; b < options->n_bindings; b++)
        if (cli_names_symbol(nest, options->binding[b].name))
            cli_must(pluss_options_set_binding(ctx, o, options->binding[b].name,
                                               options->binding[b].value));
    if (options->schedule != PLUSS_SCHEDULE_RECORDED) /* set where it is known */
        cli_must(pluss_options_set_schedule(ctx, o, options->schedule, options->chunk));
    if (options->model)
        cli_must(pluss_options_set(ctx, o, "model", options->model));
    if (options->error_target > 0)
        cli_must(pluss_options_set_real(ctx, o, "error", options->error_target));
    if (options->progress.law)
        cli_must(pluss_options_set_progress(ctx, o, &options->progress));
    pluss_cache *caches = cli_alloc(options->n_caches, sizeof *caches);
    for (size_t i = 0; i < options->n_caches; i++)
        caches[i] = (pluss_cache){options->cache[i], options->cache_label[i],
                                  options->threads_per_cache[i]};
    cli_must(pluss_options_set_caches(ctx, o, caches, options->n_caches));
    free(caches);
    set_number(ctx, o, "line", options->line_bytes);
    set_number(ctx, o, "seed", options->seed);
    set_number(ctx, o, "collect", options->collect_team);
    set_number(ctx, o, "effort", options->effort);
    set_flag(ctx, o, "explain", options->explain);
    set_flag(ctx, o, "spread", options->spread);
    set_flag(ctx, o, "profiles", options->profiles != NULL);
    return o;
}

static pluss_status run_unit(pluss_context *ctx, const cli_options *options, cli_engine engine,
                             const pluss_nest *nest, pluss_result **out)
{
    if (options->schedule == PLUSS_SCHEDULE_RECORDED)
        return cli_replay(ctx, options, engine, nest, out);
    if (options->numbers)
        return cli_run_calibrated(ctx, options, engine, nest, out);
    if (options->stamps)
        return cli_run_recorded(ctx, options, engine, nest, out);
    pluss_options *o = cli_engine_options(ctx, options, nest);
    pluss_status status = engine(ctx, nest, o, out);
    pluss_options_free(o);
    return status;
}

pluss_status cli_append(pluss_context *ctx, pluss_result **all, pluss_result *result)
{
    if (!*all) {
        *all = result;
        return PLUSS_OK;
    }
    pluss_status status = pluss_result_append(ctx, *all, result);
    pluss_result_free(result);
    return status;
}

/* ---- report ---------------------------------------------------------------------------------- */

/* Caches to show: those asked for, or the machine's (instructions left out). */
static size_t choose_caches(const cli_options *options, const cli_machine *machine,
                            pluss_cache **out)
{
    size_t n = 0;
    pluss_cache *cache = cli_alloc(options->n_caches + machine->n_caches, sizeof *cache);
    for (size_t i = 0; i < options->n_caches; i++)
        cache[n++] = (pluss_cache){options->cache[i], options->cache_label[i],
                                   options->threads_per_cache[i]};
    for (size_t i = 0; i < machine->n_caches && options->n_caches == 0; i++)
        if (machine->cache[i].type != 'i')
            cache[n++] = (pluss_cache){machine->cache[i].bytes, machine->cache[i].label, 0};
    *out = cache;
    return n;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int save_profiles(pluss_context *ctx, const cli_options *options, const pluss_result *result)
{
    pluss_report *report = NULL;
    pluss_status made = pluss_profile_report(ctx, result, &report);
    return cli_write_report_to(ctx, options,
                               ends_with(options->profiles, ".gz") ? "json.gz" : "json",
                               options->profile_file, made, report, CLI_OK);
}

int cli_report(pluss_context *ctx, const cli_options *options, const pluss_result *result,
               const cli_machine *machine)
{
    pluss_cache *cache;
    size_t n = choose_caches(options, machine, &cache);
    pluss_report_options o = {
        .size = sizeof o, .caches = cache, .n_caches = n, .only_caches = options->n_caches > 0};
    pluss_report *report = NULL;
    pluss_status made = pluss_result_report(ctx, result, &o, &report);
    int status = cli_write_report(ctx, options, made, report, CLI_OK);
    if (status == CLI_OK && options->profiles)
        status = save_profiles(ctx, options, result);
    if (status == CLI_OK && options->svg)
        status = cli_plot(options, result, cache, n);
    free(cache);
    return status;
}

/* A region that fails does not keep the others from being reported. */
static int run_units(pluss_context *ctx, const cli_options *options, cli_engine engine,
                     const units *u, const cli_machine *machine)
{
    pluss_result *all = NULL;
    int failed = CLI_OK;
    bool unbound = false;
    for (size_t i = 0; i < u->n && !cli_interrupted(); i++) {
        pluss_result *result = NULL;
        pluss_status status = run_unit(ctx, options, engine, u->nest[i], &result);
        if (!status)
            status = cli_append(ctx, &all, result);
        if (status && failed != CLI_INPUT)
            failed = cli_exit_status(status);
        unbound = unbound || status == PLUSS_EUNBOUND;
        pluss_context_clear(ctx);
    }
    if (unbound)
        fprintf(stderr, "Values are given with -D NAME=VALUE.\n");
    int reported = all ? cli_report(ctx, options, all, machine) : CLI_OK;
    pluss_result_free(all);
    return failed ? failed : reported;
}

static int run_file(pluss_context *ctx, cli_options *options, cli_engine engine,
                    const cli_machine *machine)
{
    pluss_nests *nests = NULL;
    pluss_status status = pluss_nests_read(ctx, options->file[0], &nests);
    if (status)
        return CLI_INPUT;
    units u = {0};
    int exit_status = CLI_OK;
    if (!cli_holds_regions(options, nests)) {
        exit_status = CLI_INPUT;
    } else if (!cli_regions_exist(options, nests)) {
        exit_status = CLI_USAGE;
    } else if (!bindings_exist(options, nests) || !contents_exist(options, nests)) {
        exit_status = CLI_USAGE;
    } else if (!cli_read_contents(options)) {
        exit_status = CLI_INPUT;
    } else if ((status = make_units(ctx, options, nests, &u))) {
        exit_status = cli_exit_status(status);
    } else {
        exit_status = run_units(ctx, options, engine, &u, machine);
    }
    free_units(&u);
    pluss_nests_free(nests);
    return exit_status;
}

int cli_run_engine(cli_options *options, cli_engine engine)
{
    cli_machine machine = {0};
    if (options->explain && options->format && strcmp(options->format, "csv") == 0)
        return cli_usage(options, "--explain and --csv do not go together");
    if (options->schedule == PLUSS_SCHEDULE_RECORDED && !options->schedule_record)
        return cli_usage(options, "--schedule recorded: whose? as in recorded=FILE");
    if (options->schedule == PLUSS_SCHEDULE_RECORDED && options->together)
        return cli_usage(options, "--schedule recorded and --together do not go together");
    bool timed = cli_progress_is(&options->progress, "recorded");
    if (timed != (options->stamps != NULL))
        return cli_usage(options,
                         "--progress recorded and --stamps RECORD, whose it is, go together");
    if (timed && (options->together || options->schedule))
        return cli_usage(options, "--stamps does not go together with --together or --schedule");
    if (options->n_caches == 0 || options->n_teams == 0)
        (void)cli_machine_read(&machine);
    if (options->n_teams == 0) {
        options->team = cli_alloc(1, sizeof *options->team);
        options->team[0] = machine.processors ? machine.processors : 1;
        options->n_teams = 1;
    }
    if (!cli_take_machine(options)) {
        cli_machine_free(&machine);
        return CLI_INPUT;
    }
    pluss_context *ctx = cli_context();
    int status = run_file(ctx, options, engine, &machine);
    pluss_context_free(ctx);
    cli_machine_free(&machine);
    return status;
}

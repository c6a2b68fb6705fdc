/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss calibrate: a program is run a few times, and how its threads progressed goes into the
 * machine file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* A region with a team: the timelines of its runs, one element a process and set of values. */
typedef struct group {
    char *region, *file;
    uint32_t line, team;
    pluss_timelines **timeline;
    size_t n;
} group;

typedef struct calibration_job {
    pluss_context *ctx, *quiet; /* quiet: what is said there is not printed */
    const cli_options *options;
    cli_output *machine;       /* the machine file */
    const char *folder, *path; /* of the records; of the machine file */
    char date[32];
    group *group;
    size_t n_groups;
    pluss_machine_file *file;
    pluss_calibrated *fitted;
    size_t n_fitted;
    size_t kept; /* records in the folder */
} calibration_job;

/* ---- records ----------------------------------------------------------------------------------
 */

static char *copy(const char *text)
{
    return text ? strcpy(cli_alloc(strlen(text) + 1, 1), text) : NULL;
}

static group *group_of(calibration_job *job, const pluss_block_info *block)
{
    for (size_t i = 0; i < job->n_groups; i++) {
        group *g = &job->group[i];
        if (g->team == block->team && g->line == block->line &&
            strcmp(g->region, block->region) == 0 && strcmp(g->file, block->file) == 0)
            return g;
    }
    job->group = cli_grow(job->group, job->n_groups, sizeof *job->group);
    group *g = &job->group[job->n_groups++];
    *g = (group){copy(block->region), copy(block->file), block->line, block->team, NULL, 0};
    return g;
}

/* One block's runs. What cannot be used is said, and passed over. */
static void take_block(calibration_job *job, const pluss_record *record, size_t block,
                       const pluss_nest *const *nest, size_t n_nests)
{
    pluss_block_info info = {.size = sizeof info};
    pluss_timelines *timeline = NULL;
    if (pluss_record_get_block(record, block, &info) || info.team < 2 ||
        !cli_region_wanted(job->options, info.region))
        return;
    if (pluss_timelines_read(job->ctx, record, block, nest, n_nests, &timeline)) {
        pluss_context_clear(job->ctx);
        return;
    }
    group *g = group_of(job, &info);
    g->timeline = cli_grow(g->timeline, g->n, sizeof(pluss_timelines *));
    g->timeline[g->n++] = timeline;
}

/* The nests of the objects that the record names. */
static bool take_record(calibration_job *job, const pluss_record *record)
{
    pluss_record_info info = {.size = sizeof info};
    pluss_nests **file = NULL;
    const pluss_nest **nest = NULL;
    size_t n_files = 0, n = 0;
    bool good = pluss_record_get_info(record, &info) == PLUSS_OK;
    for (size_t i = 0; good && i < info.n_objects; i++) {
        file = cli_grow(file, n_files, sizeof(pluss_nests *));
        good = pluss_nests_read(job->ctx, info.objects[i], &file[n_files]) == PLUSS_OK;
        for (size_t k = 0; good && k < pluss_nests_count(file[n_files]); k++) {
            nest = cli_grow(nest, n, sizeof *nest);
            nest[n++] = pluss_nests_get(file[n_files], k);
        }
        n_files += good;
    }
    for (size_t i = 0; good && i < info.n_blocks; i++)
        take_block(job, record, i, nest, n);
    for (size_t i = 0; i < n_files; i++)
        pluss_nests_free(file[i]);
    free(file);
    free(nest);
    return good;
}

/* ---- runs -------------------------------------------------------------------------------------
 */

/* Whether a region has fewer runs that are not discarded. */
static bool fewer(const calibration_job *job, uint64_t runs)
{
    bool some = false;
    for (size_t i = 0; i < job->n_groups && !some; i++) {
        const group *g = &job->group[i];
        pluss_calibration *fit = NULL;
        pluss_calibration_info info = {.size = sizeof info};
        some =
            pluss_calibrate(job->quiet, (const pluss_timelines *const *)g->timeline, g->n, &fit) ||
            pluss_calibration_get_info(fit, &info) || info.runs - info.discarded < runs;
        pluss_calibration_free(fit);
    }
    pluss_context_clear(job->quiet);
    return some;
}

/* false: said why. */
static bool run_process(calibration_job *job, int *ended)
{
    char *path = cli_text("%s/record.%zu", job->folder, job->kept);
    char *trace = cli_trace_path(path);
    bool found = false;
    pluss_record *record = NULL;
    cli_remember(path);
    cli_remember(trace);
    job->kept++;
    bool good = cli_spawn(job->options, (char *const *)job->options->file, path, ended);
    if (good && *ended) {
        cli_error(job->options, "%s failed: nothing is calibrated", job->options->file[0]);
        good = false;
    }
    if (good && access(path, F_OK) == 0)
        good = pluss_record_read(job->ctx, path, &record) == PLUSS_OK &&
               cli_find_stamps(job->ctx, record, path, &found) == PLUSS_OK;
    if (good && !found)
        cli_error(
            job->options,
            "%s left no time stamps: it ended before it could write them, or it was not built "
            "with pluss cc --mode=time",
            job->options->file[0]);
    good = good && found && take_record(job, record);
    pluss_record_free(record);
    unlink(path);
    unlink(trace);
    cli_forget(path);
    cli_forget(trace);
    free(path);
    free(trace);
    return good;
}

static bool run_all(calibration_job *job, int *ended)
{
    const cli_options *o = job->options;
    uint64_t most = o->processes > o->runs ? o->processes : o->runs; /* one run each, if need be */
    for (uint64_t i = 0; i < most && (i < o->processes || fewer(job, o->runs)); i++) {
        if (!run_process(job, ended))
            return false;
        if (job->n_groups == 0) {
            cli_error(o, "%s ran no region with two threads or more", o->file[0]);
            return false;
        }
    }
    return true;
}

/* ---- fit --------------------------------------------------------------------------------------
 */

static int fit_all(calibration_job *job)
{
    for (size_t i = 0; i < job->n_groups; i++) {
        const group *g = &job->group[i];
        pluss_calibration *calibration = NULL;
        pluss_calibration_info fit = {.size = sizeof fit};
        pluss_status status = pluss_calibrate(job->ctx, (const pluss_timelines *const *)g->timeline,
                                              g->n, &calibration);
        if (!status)
            status = pluss_calibration_get_info(calibration, &fit);
        if (status) {
            cli_error(job->options, "%s with %u threads is left out", g->region, g->team);
        } else if (2 * fit.discarded > fit.runs) {
            cli_error(job->options,
                      "%s with %u threads is left out: in %zu of %zu runs a thread was kept from "
                      "running for more than half of the time",
                      g->region, g->team, fit.discarded, fit.runs);
        } else {
            job->fitted = cli_grow(job->fitted, job->n_fitted, sizeof *job->fitted);
            job->fitted[job->n_fitted++] =
                (pluss_calibrated){calibration, g->region, g->file, g->line};
            calibration = NULL;
        }
        pluss_calibration_free(calibration);
        pluss_context_clear(job->ctx);
    }
    return job->n_fitted ? CLI_OK : CLI_NO;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static char *command_text(const cli_options *options)
{
    char *text = copy("pluss calibrate");
    for (size_t i = 0; i < options->n_files; i++) {
        char *longer = cli_text("%s %s", text, options->file[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* The folder of path, and the one around it. */
static void make_folders(const char *path)
{
    char *folder = copy(path);
    char *last = strrchr(folder, '/');
    if (last && last != folder) {
        *last = '\0';
        char *before = strrchr(folder, '/');
        if (before && before != folder) {
            *before = '\0';
            (void)mkdir(folder, 0777);
            *before = '/';
        }
        (void)mkdir(folder, 0777);
    }
    free(folder);
}

/* What was fitted, into the machine file. */
static int write_machine_file(calibration_job *job)
{
    cli_machine machine = {0};
    char *command = command_text(job->options);
    (void)cli_machine_read(&machine);
    const pluss_calibrated_by by = {.size = sizeof by,
                                    .command = command,
                                    .date = job->date,
                                    .processor = machine.cpu,
                                    .slice_ns = cli_time_slice()};
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < job->n_fitted && !status; i++)
        status = pluss_machine_file_put(job->ctx, job->file, &job->fitted[i], &by);
    if (!status)
        status = pluss_machine_file_write(job->ctx, job->file, cli_output_write, job->machine);
    cli_machine_free(&machine);
    free(command);
    return cli_output_close(job->options, job->machine, cli_exit_status(status));
}

static int calibrate(calibration_job *job, int *ended)
{
    time_t now = time(NULL);
    struct tm utc;
    if (!run_all(job, ended))
        return CLI_INPUT;
    if (gmtime_r(&now, &utc))
        strftime(job->date, sizeof job->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    int status = fit_all(job);
    return status ? status : write_machine_file(job) == CLI_OK ? CLI_OK : CLI_INPUT;
}

static int report(const calibration_job *job)
{
    pluss_machine_file_info info = {.size = sizeof info};
    cli_must(pluss_machine_file_get_info(job->file, &info));
    const pluss_calibration_summary summary = {.size = sizeof summary,
                                               .machine_file = job->path,
                                               .sigma = info.sigma,
                                               .skew = info.skew,
                                               .slice_ns = info.slice_ns};
    pluss_report *made = NULL;
    pluss_status status =
        pluss_calibration_report(job->ctx, job->fitted, job->n_fitted, &summary, &made);
    return cli_write_report(job->ctx, job->options, status, made, CLI_OK);
}

static void free_job(calibration_job *job)
{
    for (size_t i = 0; i < job->n_groups; i++) {
        for (size_t k = 0; k < job->group[i].n; k++)
            pluss_timelines_free(job->group[i].timeline[k]);
        free(job->group[i].timeline);
        free(job->group[i].region);
        free(job->group[i].file);
    }
    for (size_t i = 0; i < job->n_fitted; i++)
        pluss_calibration_free((pluss_calibration *)job->fitted[i].calibration);
    free(job->fitted);
    free(job->group);
    pluss_machine_file_free(job->file);
    pluss_context_free(job->quiet);
    pluss_context_free(job->ctx);
}

int cli_calibrate(cli_options *options)
{
    char *place = options->machine ? copy(options->machine) : cli_machine_file_place();
    if (!place)
        return cli_usage(options, "there is no home directory: --machine FILE says where to write");
    options->runs = options->runs ? options->runs : 10;
    options->processes = options->processes ? options->processes : 2;
    options->time_stamps = options->silent = true;
    int ended = 0, status = CLI_INPUT;
    cli_output machine = {0};
    calibration_job job = {
        .ctx = cli_context(), .machine = &machine, .options = options, .path = place};
    cli_must(pluss_context_new(NULL, &job.quiet));
    const char *before = access(place, F_OK) == 0 ? place : NULL;
    char *folder =
        pluss_machine_file_read(job.ctx, before, &job.file) ? NULL : cli_make_folder(options);
    if (folder) {
        job.folder = folder;
        make_folders(place);
        if (cli_output_open(options, place, &machine)) {
            status = calibrate(&job, &ended);
            status = status ? cli_output_close(options, options->report, status) : report(&job);
        }
        cli_output_drop(&machine);
        cli_remove_folder(folder);
    }
    free_job(&job);
    free(place);
    return ended ? cli_end_as(ended) : status;
}

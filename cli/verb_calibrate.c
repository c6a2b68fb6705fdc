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

typedef struct calibration_job {
    pluss_context *ctx;
    const cli_options *options;
    cli_output *machine;       /* the machine file */
    const char *folder, *path; /* of the records; of the machine file */
    char date[32];
    pluss_machine_file *file;
    pluss_calibration *calibration;
    size_t kept; /* records in the folder */
} calibration_job;

/* ---- runs -------------------------------------------------------------------------------------
 */

/* Whether a region has fewer runs that are not discarded. */
static bool has_fewer(const calibration_job *job, uint64_t runs)
{
    uint64_t least = 0;
    cli_must(pluss_calibration_count_runs(job->calibration, &least));
    return least < runs;
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
    bool good = cli_spawn(job->options, (char *const *)job->options->file, path, ended, NULL);
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
    good = good && found && !pluss_calibration_add(job->calibration, record, NULL, 0);
    pluss_context_clear(job->ctx);
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
    for (uint64_t i = 0; i < most && (i < o->processes || has_fewer(job, o->runs)); i++) {
        (void)cli_show_status(NULL, "running", (double)i / (double)most, i);
        const bool good = run_process(job, ended);
        cli_clear_status();
        if (!good)
            return false;
        if (pluss_calibration_count(job->calibration) == 0) {
            cli_error(o, "%s ran no region with two threads or more", o->file[0]);
            return false;
        }
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static char *command_text(const cli_options *options)
{
    char *text = cli_text("pluss calibrate");
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
    char *folder = cli_text("%s", path);
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
    pluss_status status = pluss_machine_file_put(job->ctx, job->file, job->calibration, &by);
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
    pluss_status status = pluss_calibration_finish(job->calibration);
    if (status)
        return status == PLUSS_ENOTFOUND ? CLI_NO : CLI_INPUT;
    return write_machine_file(job) == CLI_OK ? CLI_OK : CLI_INPUT;
}

static int report(const calibration_job *job)
{
    pluss_report *made = NULL;
    pluss_status status = pluss_calibration_report(job->calibration, job->file, job->path, &made);
    return cli_write_report(job->ctx, job->options, status, made, CLI_OK);
}

int cli_calibrate(cli_options *options)
{
    char *place = options->machine ? cli_text("%s", options->machine) : cli_machine_file_place();
    if (!place)
        return cli_usage(options, "there is no home directory: --machine FILE says where to write");
    options->runs = options->runs ? options->runs : 10;
    options->processes = options->processes ? options->processes : 2;
    options->time_stamps = options->silent = true;
    int ended = 0, status = CLI_INPUT;
    cli_output machine = {0};
    calibration_job job = {
        .ctx = cli_context(), .machine = &machine, .options = options, .path = place};
    cli_must(pluss_calibration_new(job.ctx, options->request, &job.calibration));
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
    pluss_calibration_free(job.calibration);
    pluss_machine_file_free(job.file);
    pluss_context_free(job.ctx);
    free(place);
    return ended ? cli_end_as(ended) : status;
}

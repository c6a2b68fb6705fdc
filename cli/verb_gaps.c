/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss gaps: how far apart the threads of a loop are while it runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

enum { RUNS = 10 };
static const char default_interval[] = "100us";

/* ---- the runs ---------------------------------------------------------------------------------
 */

static int take_run(const cli_options *options, pluss_context *ctx, pluss_gaps *gaps,
                    const char *path)
{
    pluss_record *record = NULL;
    bool there = access(path, F_OK) == 0, found = false;
    pluss_status status = there ? pluss_record_read(ctx, path, &record) : PLUSS_OK;
    if (!status && there)
        status = cli_find_stamps(ctx, record, path, &found);
    if (!status && found)
        status = pluss_gaps_add(gaps, record);
    pluss_record_free(record);
    if (status)
        return cli_exit_status(status);
    if (!found)
        cli_error(options,
                  "%s left no time stamps: it ended before it could write them, or it was not "
                  "built with pluss cc --mode=time, or no region ran",
                  options->file[0]);
    return found ? CLI_OK : CLI_INPUT;
}

/* ended: as wait gives it, of a program that failed. */
static int run_all(const cli_options *options, pluss_context *ctx, pluss_gaps *gaps,
                   const char *folder, int *ended)
{
    char *path = cli_text("%s/record", folder), *trace = cli_trace_path(path);
    cli_remember(path);
    cli_remember(trace);
    int status = CLI_OK;
    uint64_t runs = options->runs ? options->runs : RUNS;
    for (uint64_t i = 0; status == CLI_OK && *ended == 0 && i < runs; i++) {
        (void)cli_show_status(NULL, "running", (double)i / (double)runs, i);
        status = cli_spawn(options, (char *const *)options->file, path, ended, NULL) ? CLI_OK
                                                                                     : CLI_INPUT;
        if (status == CLI_OK && *ended == 0)
            status = take_run(options, ctx, gaps, path);
        unlink(path);
        unlink(trace);
    }
    cli_clear_status();
    cli_forget(path);
    cli_forget(trace);
    free(path);
    free(trace);
    return status;
}

static int run_in_folder(const cli_options *options, pluss_gaps *gaps, pluss_context *ctx,
                         int *ended)
{
    char *folder = cli_make_folder(options);
    if (!folder)
        return CLI_INPUT;
    int status = run_all(options, ctx, gaps, folder, ended);
    cli_remove_folder(folder);
    if (*ended && status == CLI_OK) {
        cli_error(options, "%s failed; nothing is reported", options->file[0]);
        return CLI_INPUT;
    }
    if (status != CLI_OK)
        return status;
    pluss_status tested = pluss_gaps_finish(gaps);
    if (tested)
        return tested == PLUSS_ENOTFOUND ? CLI_NO : cli_exit_status(tested);
    pluss_report *report = NULL;
    tested = pluss_gaps_report(gaps, &report);
    return cli_write_report(ctx, options, tested, report, CLI_OK);
}

int cli_gaps(cli_options *options)
{
    bool by_timer = cli_is_given(options, "stops", "timer");
    const char *interval = cli_given(options, "interval");
    options->silent = true;
    /* for all that is started */
    setenv("PLUSS_STAMPS", "tsc", 1);
    if (by_timer)
        setenv("PLUSS_STOPS", interval ? interval : default_interval, 1);
    else
        unsetenv("PLUSS_STOPS");
    pluss_context *ctx = cli_context();
    pluss_gaps *gaps = NULL;
    int ended = 0;
    pluss_status made = pluss_gaps_new(ctx, options->request, &gaps);
    int status = made ? cli_exit_status(made) : run_in_folder(options, gaps, ctx, &ended);
    pluss_gaps_free(gaps);
    pluss_context_free(ctx);
    return ended ? cli_end_as(ended) : status;
}

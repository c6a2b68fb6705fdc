/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Progress of threads as recorded runs had it, in predictions and walks of a nest.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

pluss_status cli_read_timelines(pluss_context *ctx, const cli_options *options,
                                const pluss_record *record, const char *path, size_t block,
                                const pluss_nest *const *nests, size_t n, pluss_timelines **out)
{
    char *trace = cli_trace_path(path);
    pluss_status status = PLUSS_ENOTFOUND;
    if (access(trace, R_OK) != 0)
        cli_error(options,
                  "%s is missing: the program was not built with pluss cc --mode=time, or did not "
                  "run for this",
                  trace);
    else
        status = pluss_timelines_read(ctx, record, block, nests, n, out);
    free(trace);
    return status;
}

char *cli_trace_path(const char *record)
{
    return cli_text("%s.trace", record);
}

pluss_status cli_find_stamps(pluss_context *ctx, const pluss_record *record, const char *path,
                             bool *found)
{
    char *trace = cli_trace_path(path);
    bool there = access(trace, F_OK) == 0;
    pluss_trace_info info = {.size = sizeof info};
    pluss_status status = there ? pluss_record_get_trace(ctx, record, &info) : PLUSS_OK;
    *found = info.timed_runs > 0;
    free(trace);
    return status;
}

/* The block of the nest's region with as many threads, one with the same values first; SIZE_MAX:
 * none. */
static size_t find(const pluss_record *record, const pluss_nest *nest, const cli_options *o,
                   uint32_t team)
{
    pluss_region_info region = {.size = sizeof region};
    pluss_block_info block = {.size = sizeof block};
    size_t found = SIZE_MAX;
    if (pluss_nest_get_region(nest, 0, &region))
        return SIZE_MAX;
    for (size_t i = 0; !pluss_record_get_block(record, i, &block); i++) {
        if (strcmp(block.region, region.name) != 0 || block.line != region.line ||
            strcmp(block.file, region.file ? region.file : "") != 0 || block.team != team)
            continue;
        if (cli_block_agrees(&block, o, nest))
            return i;
        found = found == SIZE_MAX ? i : found;
    }
    return found;
}

static pluss_status run_team(pluss_context *ctx, const cli_options *options, cli_engine engine,
                             const pluss_nest *nest, const pluss_record *record, uint32_t team,
                             pluss_options *o, pluss_result **all)
{
    size_t block = find(record, nest, options, team);
    pluss_timelines *timeline = NULL;
    pluss_result *result = NULL;
    pluss_status status = PLUSS_ENOTFOUND;
    if (block == SIZE_MAX)
        cli_error(options, "%s has no run of this region with %u thread%s", options->stamps, team,
                  team == 1 ? "" : "s");
    else
        status =
            cli_read_timelines(ctx, options, record, options->stamps, block, &nest, 1, &timeline);
    cli_must(pluss_options_set_threads(ctx, o, &team, 1));
    pluss_progress progress = options->progress;
    progress.timelines = timeline;
    cli_must(pluss_options_set_progress(ctx, o, &progress));
    if (!status)
        status = engine(ctx, nest, o, &result);
    pluss_timelines_free(timeline);
    return status ? status : cli_append(ctx, all, result);
}

pluss_status cli_run_recorded(pluss_context *ctx, const cli_options *options, cli_engine engine,
                              const pluss_nest *nest, pluss_result **out)
{
    return cli_recorded_teams(ctx, options, options->stamps, run_team, engine, nest, out);
}

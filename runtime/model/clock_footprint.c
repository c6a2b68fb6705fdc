/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Distinct lines of the program, and of its caches. If all threads are alike, the program of one
 * thread has as many and is counted instead.
 */
#include <math.h>

#include "model/clock_state.h"

enum { DEALS = 4 };

/* The footprint of a team under one dispatch of its loops. *dispatched: some loop is dispatched on
 * demand. */
static pluss_status of_team(plussi_ctx *ctx, const plussi_bound *bound,
                            const plussi_clock_options *options, uint32_t threads_per_cache,
                            uint64_t seed, bool *dispatched, plussi_footprint *out)
{
    plussi_clock_itersets *sets = NULL;
    plussi_engine *engine = NULL;
    pluss_status status =
        plussi_clock_itersets_new(ctx, bound, &options->progress, seed, true, &sets);
    if (!status)
        status = plussi_engine_new(ctx, bound, plussi_clock_itersets_source(sets), &engine);
    if (!status && (*dispatched = plussi_engine_uses_source(engine)))
        status = plussi_clock_itersets_engine(sets, engine);
    if (!status && plussi_engine_accesses(engine) == 0)
        status = plussi_clock_no_access(ctx);
    if (!status)
        status =
            plussi_footprint_count(ctx, engine, threads_per_cache ? threads_per_cache : UINT32_MAX,
                                   seed, options->coarse, out);
    if (!status)
        status = plussi_clock_itersets_status(sets);
    plussi_engine_free(engine);
    plussi_clock_itersets_free(sets);
    return status;
}

/* The mean over dispatches: which thread takes which chunk differs from run to run, and so do the
 * private copies and caches that lines come into. */
static pluss_status of_teams(plussi_ctx *ctx, const plussi_bound *bound,
                             const plussi_clock_options *options, uint32_t threads_per_cache,
                             plussi_footprint *out)
{
    double lines[DEALS], sum = 0, variance = 0;
    for (uint32_t i = 0; i < DEALS; i++) {
        bool dispatched;
        pluss_status status =
            of_team(ctx, bound, options, threads_per_cache, options->seed + i, &dispatched, out);
        if (status || !dispatched)
            return status;
        sum += lines[i] = out->lines;
        variance += out->error * out->error / (DEALS * DEALS);
    }
    for (uint32_t i = 0; i < DEALS; i++)
        variance += pow(lines[i] - sum / DEALS, 2) / (DEALS * (DEALS - 1));
    *out = (plussi_footprint){round(sum / DEALS), sqrt(variance)};
    return PLUSS_OK;
}

pluss_status plussi_clock_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                    const plussi_clock_options *options, plussi_footprint *lines,
                                    plussi_footprint *firsts, bool *alike)
{
    const uint32_t threads_per_cache = options->threads_per_cache;
    plussi_engine *engine = NULL;
    pluss_status status = plussi_engine_new_serial(ctx, bound, &engine);
    *alike = !status && plussi_engine_is_alike(engine);
    if (!status && !*alike)
        status = of_teams(ctx, bound, options, 0, lines);
    else if (!status && plussi_engine_accesses(engine) == 0)
        status = plussi_clock_no_access(ctx);
    else if (!status)
        status = plussi_footprint_count(ctx, engine, 1, options->seed, options->coarse, lines);
    plussi_engine_free(engine);
    if (status)
        return status;
    *firsts = *lines;
    uint32_t team = bound->max_team > bound->team ? bound->max_team : bound->team;
    return threads_per_cache && threads_per_cache < team
               ? of_teams(ctx, bound, options, threads_per_cache, firsts)
               : PLUSS_OK;
}

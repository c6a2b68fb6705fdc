/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timelines drawn for a nest from what is known of its loops.
 */
#include "study/stage.h"

#include "study/calibrate.h"
#include "trace/counted.h"

bool plussi_pipeline_has_loop_rates(const plussi_request *request, const plussi_bound *bound)
{
    const plussi_progress *p = &request->progress;
    return p->law == PLUSSI_PROGRESS_RATES && p->n_loops > 0 && bound->n_regions == 1 &&
           p->n_rates == bound->max_team && bound->max_team == bound->team;
}

static pluss_status take_phase(plussi_arena *arena, const plussi_counted *counted,
                               plussi_timeline_phase *out)
{
    out->team = plussi_counted_team(counted);
    out->loop = plussi_counted_loop(counted);
    out->thread = plussi_arena_alloc(arena, out->team, sizeof *out->thread);
    if (!out->thread)
        return PLUSS_ENOMEM;
    for (uint32_t k = 0; k < out->team; k++) {
        size_t n;
        double accesses;
        (void)plussi_counted_runs(counted, k, &n, &accesses);
        if (!(accesses > 0))
            continue;
        out->thread[k].n = 2;
        out->thread[k].point = plussi_arena_alloc(arena, 2, sizeof *out->thread[k].point);
        if (!out->thread[k].point)
            return PLUSS_ENOMEM;
        out->thread[k].point[1].done = accesses;
    }
    return PLUSS_OK;
}

/* Threads in phases, of all runs: some 300 MB of points. */
enum { MOST_THREADS = 1 << 21 };

/* The nest's phases, without times, up to MOST_THREADS. The points live in the arena; phase is the
 * caller's. */
static pluss_status count_phases(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                                 size_t runs, plussi_arena *arena, plussi_timeline *out,
                                 size_t *threads)
{
    plussi_counted *counted = NULL;
    size_t cap = 0;
    bool more = true;
    pluss_status status = plussi_counted_new(ctx, bound, seed, &counted);
    *threads = 0;
    while (!status && more && *threads <= MOST_THREADS) {
        status = plussi_counted_next(counted, &more);
        if (!status && more)
            status = plussi_grow(&ctx->mem, &out->phase, &cap, out->n_phases, sizeof *out->phase);
        if (!status && more)
            status = take_phase(arena, counted, &out->phase[out->n_phases++]);
        *threads += more ? runs * plussi_counted_team(counted) : 0;
    }
    plussi_counted_free(counted);
    return status;
}

pluss_status plussi_pipeline_draw_timelines(plussi_ctx *ctx, const plussi_bound *bound,
                                            const plussi_request *request, size_t runs,
                                            plussi_timelines **out)
{
    plussi_timeline like = {0};
    plussi_arena arena;
    plussi_arena_init(&arena, &ctx->mem);
    size_t threads;
    pluss_status status = count_phases(ctx, bound, request->seed, runs, &arena, &like, &threads);
    if (!status && threads > MOST_THREADS)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_ELIMIT, NULL,
                      "too many phases to draw the progress of each: threads keep the rates of "
                      "the whole region");
    else if (!status)
        status = plussi_draw_timelines(ctx, &request->progress, &like, runs, request->seed, out);
    plussi_arena_free(&arena);
    plussi_free(&ctx->mem, like.phase);
    return status;
}

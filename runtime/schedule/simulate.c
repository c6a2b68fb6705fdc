/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "schedule/pieces.h"

static pluss_status check(plussi_ctx *ctx, const plussi_dispatch *loop, const double *start)
{
    if (loop->kind != PLUSSI_SCHED_DYNAMIC && loop->kind != PLUSSI_SCHED_GUIDED)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a schedule that hands out no chunks");
    if (loop->chunk == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a chunk of no iterations");
    for (uint32_t t = 0; start && t < loop->team; t++)
        if (!(start[t] >= 0 && isfinite(start[t])))
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "thread %u starts at %g", t, start[t]);
    if (loop->kind == PLUSSI_SCHED_DYNAMIC && loop->next < loop->n)
        return plussi_pieces_limit(ctx, (loop->n - loop->next - 1) / loop->chunk + 1);
    return PLUSS_OK;
}

/* Whoever is free first takes the next chunk. */
static pluss_status hand_out(plussi_pieces *p, plussi_dispatch loop, const double *start,
                             plussi_clocks *clocks)
{
    for (uint32_t t = 0; t < p->team; t++)
        plussi_clocks_push(clocks, t, start ? start[t] : 0, &p->rng);
    plussi_segment chunk;
    while (plussi_dispatch_next(&loop, &chunk)) {
        plussi_free_thread first = plussi_clocks_pop(clocks);
        double end = 0;
        pluss_status status = plussi_pieces_run(p, first.thread, chunk, first.time, &end);
        if (status != PLUSS_OK)
            return status;
        plussi_clocks_push(clocks, first.thread, end, &p->rng);
    }
    return PLUSS_OK;
}

pluss_status plussi_shares_simulate(plussi_ctx *ctx, const plussi_dispatch *loop,
                                    const double *start, const double *speed, plussi_work_fn work,
                                    void *user, uint64_t seed, plussi_shares *out)
{
    plussi_pieces pieces;
    pluss_status status = check(ctx, loop, start);
    if (status == PLUSS_OK)
        status = plussi_pieces_init(&pieces, ctx, loop->team, speed, work, user, seed);
    if (status != PLUSS_OK)
        return status;
    plussi_clocks clocks = {plussi_alloc(&ctx->mem, loop->team, sizeof *clocks.heap), 0};
    status = clocks.heap ? hand_out(&pieces, *loop, start, &clocks) : PLUSS_ENOMEM;
    if (status == PLUSS_OK)
        status = plussi_pieces_shares(&pieces, loop->n, out);
    plussi_free(&ctx->mem, clocks.heap);
    plussi_pieces_free(&pieces);
    return status;
}

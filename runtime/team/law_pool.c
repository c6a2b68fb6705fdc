/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads of a pool that shares out loops by stealing. The pieces of each loop and their times are
 * simulated (team/stealing_pool.h); the accesses of a piece are at even times. Elsewhere each
 * thread makes an access every so many nanoseconds.
 */
#include "team/law.h"
#include "team/stealing_pool.h"

static double time_of(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    (void)which;
    const plussi_itersets *pieces = c->phases.pieces(c->phases.user, phase);
    if (!pieces)
        return (double)pos * c->progress->access;
    return k < pieces->team ? plussi_pool_time(pieces, k, pos) : 0;
}

static double guess_position(plussi_clocks *c, uint64_t phase, uint32_t k, double time)
{
    const plussi_itersets *pieces = c->phases.pieces(c->phases.user, phase);
    if (!pieces)
        return time / c->progress->access;
    return k < pieces->team ? plussi_pool_done(pieces, k, time) : 0;
}

const plussi_law plussi_law_pool = {
    .name = "pool",
    .syntax = "pool[:[WAKE][:[ACCESS][:CORES]]]",
    .summary = "Rayon's, which wake up late: nanoseconds to wake up, and of an access",
    .number = {{.name = "WAKE",
                .at = offsetof(plussi_progress, wake),
                .of_machine = true,
                .by_default = 3000,
                .least = 0,
                .most = 1e12},
               {.name = "ACCESS",
                .at = offsetof(plussi_progress, access),
                .of_machine = true,
                .by_default = 1,
                .least = 1e-6,
                .most = 1e12},
               {.name = "CORES",
                .at = offsetof(plussi_progress, cores),
                .whole = true,
                .least = 0, /* 0: one for each thread */
                .most = UINT32_MAX}},
    .timed = true,
    .drawn = true,
    .needs_pieces = true,
    .time = time_of,
    .guess = guess_position,
};

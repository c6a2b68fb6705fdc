/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads of a pool that shares out loops by stealing: timelines are simulated ahead
 * (team/stealing_pool.h), and take the place of this law. Where there is no such loop, threads
 * progress uniformly.
 */
#include "team/law.h"

static uint32_t choose_thread(plussi_clocks *c, uint64_t *run)
{
    *run = 1;
    c->at = (uint32_t)plussi_rng_below(c->rng, c->n_running);
    return c->running[c->at];
}

const plussi_law plussi_law_pool = {
    .name = "pool",
    .syntax = "pool[:[WAKE][:[ACCESS][:CORES]]]",
    .summary = "Rayon's, which wake up late: nanoseconds to wake up, and of an access",
    .number = {{.name = "WAKE",
                .at = offsetof(plussi_progress, wake),
                .by_default = 3000,
                .least = 0,
                .most = 1e12},
               {.name = "ACCESS",
                .at = offsetof(plussi_progress, access),
                .by_default = 1,
                .least = 1e-6,
                .most = 1e12},
               {.name = "CORES",
                .at = offsetof(plussi_progress, cores),
                .whole = true,
                .least = 0, /* 0: one for each thread */
                .most = UINT32_MAX}},
    .next = choose_thread,
};

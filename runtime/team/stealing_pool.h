/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a pool of work-stealing threads costs: how late its threads wake up, and what stealing and
 * splitting take. Times are in nanoseconds.
 */
#ifndef PLUSSI_TEAM_STEALING_POOL_H
#define PLUSSI_TEAM_STEALING_POOL_H

#include "team/deques.h"
#include "team/progress.h"

typedef struct plussi_pool {
    double wake;        /* median, from the moment at which a thread is woken to its first piece */
    double wake_spread; /* standard deviation of its logarithm */
    double steal;       /* from the end of a thread's last piece to the start of a stolen one */
    double piece;       /* between two pieces of a thread's own */
    double search;      /* a thread without work looks for some so long, and then sleeps */
    double crowd;       /* probability that a woken thread is put on the core of its waker */
    double slice;       /* time slice of the operating system */
    double access;      /* of an access */
    double sigma;       /* standard deviation of the logarithm of that, from piece to piece */
    uint32_t cores;     /* 0: one for each thread */
} plussi_pool;

/* That of the progress law POOL; what it does not tell is as usual on machines that were measured.
 */
plussi_pool plussi_pool_of(const plussi_progress *progress);
/* PLUSS_EUNSUPPORTED, with the place: a worksharing loop is none of Rayon's. */
PLUSS_NODISCARD pluss_status plussi_pool_check(plussi_ctx *ctx, const plussi_bound *bound);

/* As plussi_simulate_rayon, with costs; the loop is called from outside the pool, and the first
 * thread begins at time 0. A chunk takes work times `access`, with a log-normal factor. Errors as
 * there. O(chunks T). */
PLUSS_NODISCARD pluss_status plussi_simulate_pool(plussi_ctx *ctx, const plussi_pool_loop *loop,
                                                  uint32_t team, const plussi_pool *cost,
                                                  plussi_work_fn work, void *user, uint64_t seed,
                                                  plussi_itersets *out);

/* Time of a thread's access `pos` of such a loop: those of a piece are at even times. After the
 * thread's last one the end of its last piece, 0 if it has none. O(log chunks). */
double plussi_pool_time(const plussi_itersets *sets, uint32_t thread, uint64_t pos);
/* About how many accesses it has made by then. O(log chunks). */
double plussi_pool_done(const plussi_itersets *sets, uint32_t thread, double time);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a pool of work-stealing threads costs: how late its threads wake up, and what stealing and
 * splitting take. Times are in nanoseconds.
 */
#ifndef PLUSSI_TEAM_STEALING_POOL_H
#define PLUSSI_TEAM_STEALING_POOL_H

#include "team/iterset.h"

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
/* A loop of n iterations, in pieces of least to most (0: no limit), called from outside the pool.
 */
typedef struct plussi_pool_loop {
    uint64_t n, least, most;
} plussi_pool_loop;

/* As plussi_simulate_rayon, with costs, and with chunk_begin: the first thread begins at time 0. A
 * chunk takes work times `access`, with a log-normal factor. Errors as there. O(chunks T). */
PLUSS_NODISCARD pluss_status plussi_simulate_pool(plussi_ctx *ctx, const plussi_pool_loop *loop,
                                                  uint32_t team, const plussi_pool *cost,
                                                  plussi_work_fn work, void *user, uint64_t seed,
                                                  plussi_itersets *out);

#endif

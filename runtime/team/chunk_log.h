/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the event simulations have in common: the order in which threads become free, and the log of
 * dispatched chunks, from which the threads' iteration sets are made.
 */
#ifndef PLUSSI_TEAM_CHUNK_LOG_H
#define PLUSSI_TEAM_CHUNK_LOG_H

#include "team/iterset.h"

/* ---- threads by the time at which they are free -------------------------------------------------
 *
 * A binary heap. Ties are broken at random: each entry gets a random number. */
typedef struct plussi_free_thread {
    double time;
    uint64_t draw;
    uint32_t thread;
} plussi_free_thread;

typedef struct plussi_clocks {
    plussi_free_thread *heap; /* has space for every thread of the team; owned by the caller */
    size_t n;
} plussi_clocks;

void plussi_clocks_push(plussi_clocks *clocks, uint32_t thread, double time, plussi_rng *rng);
/* Removes the thread that is free first; the heap is not empty. */
plussi_free_thread plussi_clocks_pop(plussi_clocks *clocks);
/* The thread that is free first is free again at this time: as if it were removed and came back. */
void plussi_clocks_move_first(plussi_clocks *clocks, double time, plussi_rng *rng);

/* ---- chunks in order of dispatch --------------------------------------
 */

typedef struct plussi_logged_chunk {
    uint32_t thread;
    plussi_segment segment;
    double begin, end; /* times */
    double work;       /* accesses */
} plussi_logged_chunk;

typedef struct plussi_chunk_log {
    plussi_ctx *ctx;
    uint32_t team;
    plussi_work_fn work;
    void *user;
    plussi_rng rng;
    double access, sigma; /* time of an access, as of a pool; 0: gamma distributed, of mean 1 */
    plussi_logged_chunk *chunk;
    size_t n, cap;
} plussi_chunk_log;

/* PLUSS_EINVAL if the team is empty. */
PLUSS_NODISCARD pluss_status plussi_chunk_log_init(plussi_chunk_log *p, plussi_ctx *ctx,
                                                   uint32_t team, plussi_work_fn work, void *user,
                                                   uint64_t seed);
void plussi_chunk_log_free(plussi_chunk_log *p);

/* PLUSS_ELIMIT for more than PLUSSI_MAX_SEGMENTS chunks. */
PLUSS_NODISCARD pluss_status plussi_check_chunks(plussi_ctx *ctx, uint64_t chunks);

/* The thread executes the segment from time `begin` on; *end is when it becomes free. PLUSS_EINVAL
 * if work is negative or not a number. PLUSS_ELIMIT: one chunk too many. */
PLUSS_NODISCARD pluss_status plussi_chunk_log_run(plussi_chunk_log *p, uint32_t thread,
                                                  plussi_segment segment, double begin,
                                                  double *end);

/* Makes the iteration sets of a loop of n iterations from the log; with_ends: and chunk_end. */
PLUSS_NODISCARD pluss_status plussi_chunk_log_sets(const plussi_chunk_log *p, uint64_t n,
                                                   bool with_ends, plussi_itersets *out);

#endif

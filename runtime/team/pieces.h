/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the event simulations have in common: the order in which threads become free, and the log
 * of who executed what, which becomes the threads' shares.
 */
#ifndef PLUSSI_TEAM_PIECES_H
#define PLUSSI_TEAM_PIECES_H

#include "team/share.h"

/* ---- threads by the time at which they are free -------------------------------------------------
 *
 * A binary heap. Equal times are drawn for: each entry gets a random number when it goes in. */
typedef struct plussi_free_thread {
    double time;
    uint64_t draw;
    uint32_t thread;
} plussi_free_thread;

typedef struct plussi_clocks {
    plussi_free_thread *heap; /* room for every thread of the team; owned by the caller */
    size_t n;
} plussi_clocks;

void plussi_clocks_push(plussi_clocks *clocks, uint32_t thread, double time, plussi_rng *rng);
/* The thread that is free first; there is one. */
plussi_free_thread plussi_clocks_pop(plussi_clocks *clocks);

/* ---- pieces of work in the order in which they were begun --------------------------------------
 */

typedef struct plussi_piece {
    uint32_t thread;
    plussi_segment segment;
    double end;  /* time */
    double work; /* accesses */
} plussi_piece;

typedef struct plussi_pieces {
    plussi_ctx *ctx;
    uint32_t team;
    const double *rate; /* may be NULL */
    plussi_work_fn work;
    void *user;
    plussi_rng rng;
    plussi_piece *piece;
    size_t n, cap;
} plussi_pieces;

/* PLUSS_EINVAL for an empty team, or rates that are not positive. */
PLUSS_NODISCARD pluss_status plussi_pieces_init(plussi_pieces *p, plussi_ctx *ctx, uint32_t team,
                                                const double *rate, plussi_work_fn work, void *user,
                                                uint64_t seed);
void plussi_pieces_free(plussi_pieces *p);

/* PLUSS_ELIMIT for more than PLUSSI_MAX_SEGMENTS pieces. */
PLUSS_NODISCARD pluss_status plussi_pieces_limit(plussi_ctx *ctx, uint64_t pieces);

/* The thread executes the segment from time `begin` on; *end is when it is free again.
 * PLUSS_EINVAL: work is negative or not a number. PLUSS_ELIMIT: one piece too many. */
PLUSS_NODISCARD pluss_status plussi_pieces_run(plussi_pieces *p, uint32_t thread,
                                               plussi_segment segment, double begin, double *end);

/* The shares of a loop of n iterations, from the log; with_ends: chunk_end too. */
PLUSS_NODISCARD pluss_status plussi_pieces_shares(const plussi_pieces *p, uint64_t n,
                                                  bool with_ends, plussi_shares *out);

#endif

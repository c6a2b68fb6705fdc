/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rayon's ranges (rayon 1.x, iter/plumbing: LengthSplitter, and the deques of rayon-core), without
 * times. A range is halved as long as its halves have at least `least` iterations and its budget of
 * splits lasts: T at first, or n / most if that is more; each split halves the budget, a steal
 * raises it to at least T. The worker goes on with the left half and puts the right one at the
 * young end of its deque, from which it also takes its next range. A thief takes from the old end,
 * where the largest ranges are, of the first worker that has any, beginning with a random one.
 */
#ifndef PLUSSI_TEAM_DEQUES_H
#define PLUSSI_TEAM_DEQUES_H

#include "team/iterset.h"

/* A loop of n iterations, in pieces of least to most (0: no limit). */
typedef struct plussi_pool_loop {
    uint64_t n, least, most;
} plussi_pool_loop;

typedef struct plussi_range {
    plussi_segment at;
    uint64_t splits;
} plussi_range;

typedef struct plussi_deques {
    struct plussi_deque *of; /* each thread's */
    uint32_t team;
    uint64_t least, waiting; /* ranges in all deques */
} plussi_deques;

/* Empty deques, and the range that is the whole loop. The caller frees, on failure too.
 * PLUSS_ELIMIT: it is cut into too many pieces, as far as that is known beforehand. */
PLUSS_NODISCARD pluss_status plussi_deques_new(plussi_ctx *ctx, const plussi_pool_loop *loop,
                                               uint32_t team, plussi_deques *out,
                                               plussi_range *whole);
void plussi_deques_free(plussi_ctx *ctx, plussi_deques *deques);

/* Splits a range of the thread once, and keeps the left half; false: it is not split any more.
 * stolen: the range is. O(1). */
bool plussi_deques_split(plussi_deques *deques, uint32_t thread, plussi_range *range, bool stolen);
/* Takes the thread's own youngest range; false: it has none. O(1). */
bool plussi_deques_take(plussi_deques *deques, uint32_t thread, plussi_range *out);
/* Steals a range: some wait, and none in the thief's own deque. O(T). */
plussi_range plussi_deques_steal(plussi_deques *deques, uint32_t thief, plussi_rng *rng);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact LRU stack distances (Mattson et al. 1970). A touch costs amortised O(log distance); memory
 * is proportional to the number of distinct lines: 35 to 75 bytes each where lines are neighbours.
 * Up to 2^30 distinct lines.
 */
#ifndef PLUSSI_EXACT_LRU_H
#define PLUSSI_EXACT_LRU_H

#include <stdbool.h>

#include "base/ctx.h"

#define PLUSSI_LRU_COLD UINT64_MAX       /* never touched before */
#define PLUSSI_LRU_FAIL (UINT64_MAX - 1) /* out of memory: the touch did not happen */

typedef struct plussi_lru plussi_lru;

PLUSS_NODISCARD pluss_status plussi_lru_new(plussi_ctx *ctx, plussi_lru **out);
void plussi_lru_free(plussi_lru *lru);

/* Reuse distance of this touch: distinct other lines touched since the line's last touch (0: none);
 * the stack distance is one more. */
uint64_t plussi_lru_touch(plussi_lru *lru, uint64_t line);

/* Hints of lines that are touched soon, of each three times: 3, 2 and 1 times `ahead` touches
 * before, where several memory accesses of different touches overlap. They change nothing. */
enum { PLUSSI_LRU_AHEAD = 8 };
void plussi_lru_fetch(const plussi_lru *lru, uint64_t line, unsigned ahead);

/* The order of last touches, the least recent first, as numbers into line[n], which are all lines
 * that have been touched, each once; n < 2^32. O(n). */
void plussi_lru_order(plussi_lru *lru, const uint64_t *line, size_t n, uint32_t *order);
/* Puts the n lines that were touched last, each once, into another order: order[k] is the place,
 * of 0 ... n - 1 in the present order, of the line that is to be there k-th. n is at most the
 * footprint. O(n). PLUSS_ENOMEM: nothing is changed. */
PLUSS_NODISCARD pluss_status plussi_lru_reorder(plussi_lru *lru, const uint32_t *order, size_t n);

uint64_t plussi_lru_footprint(const plussi_lru *lru); /* distinct lines so far */
void plussi_lru_reset(plussi_lru *lru);               /* empty again, keeps its memory */
void plussi_lru_shrink(plussi_lru *lru);              /* empty again, with a new one's memory */

#endif

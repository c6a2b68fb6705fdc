/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coherent private LRU stacks, one a thread: the hits and misses of private caches of every size in
 * a merged order of accesses, under write-invalidate coherence (Schuff et al. 2009; Wu and Yeung
 * 2013, section 2.2).
 *
 * A write by one thread invalidates the line in the other stacks, also if they touch other bytes of
 * it (false sharing). An invalidated line becomes a hole, so that lines below it do not move up.
 * The next line that comes to the top from below the topmost hole, or from outside, pushes the
 * lines above that hole down into it, and leaves a hole where it was. A private cache of c lines
 * that fills its invalid ways first then holds exactly the lines above depth c: it hits if the
 * distance is below c, for every c at once.
 */
#ifndef PLUSSI_EXACT_PRIVATE_STACK_H
#define PLUSSI_EXACT_PRIVATE_STACK_H

#include <stdbool.h>

#include "exact/lru.h"

/* Results of a touch without a distance: a miss at every size. */
#define PLUSSI_STACK_COLD PLUSSI_LRU_COLD          /* no thread touched the line before */
#define PLUSSI_STACK_FAIL PLUSSI_LRU_FAIL          /* out of memory: the touch did not happen */
#define PLUSSI_STACK_THREAD_FIRST (UINT64_MAX - 2) /* another thread did, this one did not */
#define PLUSSI_STACK_COHERENCE                                                                     \
    (UINT64_MAX - 3) /* another thread has written the line since this one touched it */

typedef struct plussi_stacks plussi_stacks;

/* PLUSS_EINVAL: a team of no threads. */
PLUSS_NODISCARD pluss_status plussi_stacks_new(plussi_ctx *ctx, uint32_t team, plussi_stacks **out);
void plussi_stacks_free(plussi_stacks *stacks);

/* One access by thread < team: its private reuse distance (lines and holes above the line, from 0),
 * or one of the constants above. Amortised O(log distance + log holes + team / 64), and as much for
 * every copy that a write invalidates; memory as of plussi_lru for each thread, and team / 8 bytes
 * for each distinct line. */
uint64_t plussi_stacks_touch(plussi_stacks *stacks, uint32_t thread, uint64_t line, bool write);

uint64_t
plussi_stacks_invalidations(const plussi_stacks *stacks);      /* copies that writes invalidated */
uint64_t plussi_stacks_footprint(const plussi_stacks *stacks); /* distinct lines, all threads */

#endif

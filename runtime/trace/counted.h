/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many accesses each thread has made when: at the iterations of worksharing loops, phase by
 * phase. What timeline a nest is at, as far as that does not need a clock.
 */
#ifndef PLUSSI_TRACE_COUNTED_H
#define PLUSSI_TRACE_COUNTED_H

#include "team/timeline.h"

/* Iterations [first, first + n) of a thread's iteration set, each of that many accesses, after
 * `done` in the phase. */
typedef struct plussi_counted_run {
    uint64_t first, n;
    double done, each;
    uint32_t loop, execution; /* bound's number of it; which time the thread comes to it */
} plussi_counted_run;

/* One phase at a time. */
typedef struct plussi_counted plussi_counted;

/* The counts of a bound nest, from its first phase on; O(iterations of the outer loops), less where
 * they are alike. seed: as plussi_walk_new. bound is borrowed. */
PLUSS_NODISCARD pluss_status plussi_counted_new(plussi_ctx *ctx, const plussi_bound *bound,
                                                uint64_t seed, plussi_counted **out);
void plussi_counted_free(plussi_counted *counted); /* NULL is allowed */

/* On to the next phase that has accesses, the first at first: *more false: there is none. */
PLUSS_NODISCARD pluss_status plussi_counted_next(plussi_counted *counted, bool *more);
uint32_t plussi_counted_team(const plussi_counted *counted);
/* As plussi_timeline_phase has it. */
uint32_t plussi_counted_loop(const plussi_counted *counted);
/* A thread's runs of iterations in this phase, *n of them, valid until the next phase; its
 * accesses in the phase, those outside of worksharing loops too. */
const plussi_counted_run *plussi_counted_runs(const plussi_counted *counted, uint32_t thread,
                                              size_t *n, double *accesses);

#endif

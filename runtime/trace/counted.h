/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many accesses each thread has made when: at the iterations of worksharing loops, phase by
 * phase. The part of a nest's timeline that does not need a clock.
 */
#ifndef PLUSSI_TRACE_COUNTED_H
#define PLUSSI_TRACE_COUNTED_H

#include "team/timeline.h"

/* Iterations [first, first + n) of a thread's iteration set, with that many accesses each, after
 * `done` accesses in the phase. */
typedef struct plussi_counted_run {
    uint64_t first, n;
    double done, each;
    uint32_t loop, execution; /* number in bound; number of the thread's execution */
} plussi_counted_run;

/* The counts of one phase at a time. */
typedef struct plussi_counted plussi_counted;

/* Counts of a bound nest, from its first phase on; O(iterations of the outer loops), less where
 * these are alike. seed: as of plussi_walk_new. bound is borrowed. */
PLUSS_NODISCARD pluss_status plussi_counted_new(plussi_ctx *ctx, const plussi_bound *bound,
                                                uint64_t seed, plussi_counted **out);
void plussi_counted_free(plussi_counted *counted); /* NULL is allowed */

/* Goes to the next phase with accesses, at first to the first one. *more false: there is none. */
PLUSS_NODISCARD pluss_status plussi_counted_next(plussi_counted *counted, bool *more);
uint32_t plussi_counted_team(const plussi_counted *counted);
/* As in plussi_timeline_phase. */
uint32_t plussi_counted_loop(const plussi_counted *counted);
/* A thread's runs of iterations in this phase, *n of them, valid until the next phase; its accesses
 * in the phase, including those outside of worksharing loops. */
const plussi_counted_run *plussi_counted_runs(const plussi_counted *counted, uint32_t thread,
                                              size_t *n, double *accesses);

#endif

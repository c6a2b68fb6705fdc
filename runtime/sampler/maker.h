/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the closed-form engine: how a group is made.
 */
#ifndef PLUSSI_SAMPLER_MAKER_H
#define PLUSSI_SAMPLER_MAKER_H

#include "sampler/group.h"

typedef struct plussi_maker {
    plussi_ctx *ctx;
    plussi_engine *e;
    plussi_group *g;
    uint8_t level_of[PLUSSI_CURSOR_SLOTS]; /* of g's path; 255: not on it */
    plussi_interval box[PLUSSI_CURSOR_SLOTS];
    size_t guards_cap;
    bool exact; /* guards say all that bounds and conditions do */
} plussi_maker;

/* An array of zeros, one for every level of the group's path; NULL: out of memory. */
int64_t *plussi_maker_levels(plussi_maker *m);
/* dims.c: dim and constraint. */
PLUSS_NODISCARD pluss_status plussi_make_dims(plussi_maker *m);
/* Narrows the dimensions to the values that guards on the same sums leave. */
void plussi_cut_dims(plussi_maker *m);
/* guards.c: adds a loop's bounds, a condition or its negation to guard; the array grows by
 * plussi_grow from the context's memory. */
PLUSS_NODISCARD pluss_status plussi_give_loop_bounds(plussi_maker *m, const plussi_plan_node *loop);
PLUSS_NODISCARD pluss_status plussi_guard_condition(plussi_maker *m, const plussi_cexpr *cond,
                                                    bool truth);
/* direct_plan.c: sets `direct`. */
PLUSS_NODISCARD pluss_status plussi_make_direct(plussi_maker *m);
/* levels.c: number of values to try at a level; checks at each level. */
uint32_t plussi_count_tries(const plussi_maker *m, uint32_t level);
void plussi_find_leap(plussi_maker *m, uint32_t level);
PLUSS_NODISCARD pluss_status plussi_add_checks(plussi_maker *m);
/* array_ranges_plan.c: range. */
PLUSS_NODISCARD pluss_status plussi_plan_ranges(plussi_engine *e);

#endif

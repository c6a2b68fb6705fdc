/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the closed-form engine: what the search for the latest touch of a line runs on.
 *
 * References in one body with equal subscripts form a group: one search serves them all. A group's
 * byte offset is split into C + sum S_j Q_j, S_0 > S_1 > ... > 0, the Q_j independent of C: the
 * declared dimensions, and flat subscripts (i*n + j) taken apart again where the inner part cannot
 * reach S_j. A line then is one value of all Q_j but the last, and an interval of that: a
 * segment of a row. Where it covers several rows the outer ones get an interval too, and the sum
 * itself is a condition of its own.
 */
#ifndef PLUSSI_SAMPLER_GROUP_H
#define PLUSSI_SAMPLER_GROUP_H

#include "sampler/plan.h"

enum { PLUSSI_MAX_LEVELS = PLUSSI_MAX_LOOPS + 2 }; /* a repetition and a single */

typedef struct plussi_term {
    int64_t k; /* not 0 */
    uint32_t level, slot;
} plussi_term;

/* c + sum of k[level] * iv(level), to be in an interval. */
typedef struct plussi_constraint {
    int64_t c;
    int64_t *k;        /* by level; NULL: not affine, see bx */
    plussi_term *term; /* the same without zeros, innermost first */
    uint32_t n_terms;
    const plussi_cexpr *expr;
    uint32_t weight;      /* nodes of bx, not affine */
    uint32_t first, last; /* levels that occur; none: first > last */
} plussi_constraint;

typedef struct plussi_dim {
    int64_t stride;        /* S_j > 0, bytes */
    int shift;             /* its logarithm; -1: not a power of two */
    plussi_interval range; /* of Q_j */
    plussi_interval inner; /* of the sum of S_i Q_i, i > j */
} plussi_dim;

typedef struct plussi_level {
    plussi_plan_node *loop;
    uint32_t tries; /* values below the cursor's that need be tried: 0: any number */
    int64_t
        leap; /* not 0: chunks are dispatched round robin further in, at level `cyclic`, in a loop
                 whose first value moves by so much from iteration to iteration of this one */
    uint32_t cyclic;
    const struct plussi_constraint *sparse; /* on this level and one further in alone, which
                                              moves by more than a line: few values of this one
                                              have a whole number there; NULL: none */
    uint32_t n_checks; /* children of conditions and regions that are decided here */
    plussi_plan_node **check;
} plussi_level;

struct plussi_group {
    plussi_plan_node **member; /* in text order */
    uint32_t n_members, touch;
    bool writes; /* some member does */
    uint32_t n_levels;
    plussi_level *level;
    plussi_plan_node *par;
    uint32_t root;          /* the array that it, or what it overlays, is declared as */
    int64_t shift;          /* bytes from the root's base to C's zero, and to the touch */
    int64_t c, thread_coef; /* C, and what it gains a thread */
    plussi_interval bytes;  /* of C + sum S_j Q_j, all threads */
    uint32_t n_dims;
    plussi_dim *dim;
    plussi_constraint *constraint; /* Q_j, and after them the sum */
    uint32_t n_guards;
    plussi_constraint *guard; /* bounds and guards: >= 0; to cut the search short */
    bool affine;              /* all constraints are affine */
    bool moving; /* some level is divided into blocks, of a length that loops around may change */
    uint32_t n_before; /* checks that need no loop */
    plussi_plan_node **before;
    int swap_level; /* at which its memory is known; -1: before all; -2: never swapped */
};

/* Memory of a root array, and the groups that can touch it. */
typedef struct plussi_array_range {
    uint32_t root;
    uint64_t first, last; /* lines, of thread 0's copy */
    uint64_t furthest;    /* the largest `last` of this and the ranges before */
    uint64_t copy_lines;  /* private: from a thread's copy to the next one's; 0: shared */
    uint32_t n_groups;
    plussi_group **group; /* the last in the text first */
} plussi_array_range;

PLUSS_NODISCARD pluss_status plussi_plan_groups(plussi_ctx *ctx, plussi_engine *e);

/* Whether a worksharing loop is divided into one block a thread, to a team that does not change. */
static inline bool plussi_is_block(const plussi_plan_node *loop)
{
    return loop->collapse <= 1 && loop->schedule == PLUSSI_SCHED_STATIC && !loop->chunk &&
           loop->par && loop->par->team_fixed;
}

/* Narrows box so that x can still are in target; false: it cannot. Conditions: target {1, 1}. */
bool plussi_cexpr_narrow(const plussi_cexpr *x, plussi_interval target, plussi_interval *box);

#endif

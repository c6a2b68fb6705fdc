/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the closed-form engine: groups of references, in which the latest touch of a line is
 * searched.
 *
 * References in one body with equal subscripts form a group: one search serves them all. A group's
 * byte offset is split into C + sum S_j Q_j, S_0 > S_1 > ... > 0, with Q_j independent of C: the
 * declared dimensions, and flat subscripts (i*n + j) taken apart where the inner part cannot reach
 * S_j. A line then is one value of all Q_j but the last, and an interval of the last: a segment of
 * a row. If it covers several rows the outer ones get an interval too, and the sum itself is
 * another condition.
 */
#ifndef PLUSSI_SAMPLER_GROUP_H
#define PLUSSI_SAMPLER_GROUP_H

#include "sampler/plan.h"

enum { PLUSSI_MAX_LEVELS = PLUSSI_MAX_LOOPS + 2 }; /* a repetition and a single */

typedef struct plussi_term {
    int64_t k; /* not 0 */
    uint32_t level, slot;
} plussi_term;

/* c + sum of k[level] * iv(level), which has to be in an interval. */
typedef struct plussi_constraint {
    int64_t c;
    int64_t *k;        /* by level; NULL: not affine, see x */
    plussi_term *term; /* the same without zeros, innermost first */
    uint32_t n_terms;
    const plussi_cexpr *expr;
    uint32_t weight;      /* nodes of x if not affine */
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
    uint32_t tries; /* values below the cursor's that have to be tried; 0: any number */
    /* not 0: chunks are dispatched round robin at the inner level `cyclic`, in a loop whose first
     * value moves by this from one iteration of this level to the next */
    int64_t leap;
    uint32_t cyclic;
    /* on this and one inner level only, where the inner one moves by more than a line: for few
     * values of this level the inner value is whole; NULL: none */
    const struct plussi_constraint *sparse;
    uint32_t n_checks; /* children of conditions and regions that are tested here */
    plussi_plan_node **check;
} plussi_level;

/* A group whose touches of a line are a system of differences and sums: direct.c. A level's value
 * is base + step x; x is its iteration's number where no other level is apart from it, else its
 * value. */
typedef struct plussi_direct_level {
    int64_t base, step, low, high; /* low <= x <= high */
    uint32_t slot;
    uint32_t first, last;         /* gaps [first, last) are to levels outside */
    uint32_t first_sum, last_sum; /* sums [first_sum, last_sum) have it as the innermost level */
    bool divides;                 /* the step is not 1, nor -1 */
} plussi_direct_level;

/* least <= x - x of a level outside <= most. */
typedef struct plussi_direct_gap {
    int64_t least, most;
    uint32_t outer;
} plussi_direct_gap;

typedef struct plussi_direct_term {
    int64_t k; /* not 0 */
    uint32_t level;
} plussi_direct_term;

/* least <= the sum of k x <= most. */
typedef struct plussi_direct_sum {
    int64_t least, most;
    const plussi_direct_term *term; /* at least two, innermost first */
    uint32_t n_terms;
    uint32_t dim; /* by which the line bounds it, in place of least and most; UINT32_MAX: none */
} plussi_direct_sum;

enum { PLUSSI_DIRECT_DIMS = 8 }; /* of a group with a direct form, at most */

/* c + k x of one level. */
typedef struct plussi_direct_dim {
    int64_t c, k;
    uint32_t level; /* UINT32_MAX: it is constant, or a sum */
} plussi_direct_dim;

typedef struct plussi_direct {
    const plussi_direct_level *level;
    const plussi_direct_dim *dim;
    const plussi_direct_gap *gap;
    const plussi_direct_sum *sum;
    uint32_t n_gaps, n_sums;
    bool box; /* neither gaps nor sums, and the worksharing loop, if there is one, has fixed blocks
               */
    uint32_t ws;                  /* level of the worksharing loop; UINT32_MAX: none */
    const plussi_plan_node *loop; /* it */
    const uint64_t *begin; /* first iteration of each thread's block; NULL: no fixed blocks */
    int64_t shift;         /* with begin: x of iteration 0 */
} plussi_direct;

struct plussi_group {
    plussi_plan_node **member; /* in text order */
    uint32_t n_members, touch;
    bool writes; /* some member does */
    uint32_t n_levels;
    plussi_level *level;
    uint32_t *slot; /* by level: its loop's */
    plussi_plan_node *par;
    uint32_t root;          /* array of which this one, or the one under it, is a view */
    int64_t shift;          /* bytes from the root's base to C's zero, and to the touch */
    int64_t c, thread_coef; /* C, and its difference from thread to thread */
    plussi_interval bytes;  /* range of C + sum S_j Q_j over all threads */
    uint32_t n_dims;
    plussi_dim *dim;
    plussi_constraint *constraint; /* on the Q_j, then on the sum */
    uint32_t n_guards;
    plussi_constraint *guard;    /* bounds and guards: >= 0; they cut the search short */
    bool affine;                 /* all constraints are affine */
    const plussi_direct *direct; /* NULL: it is not of this kind */
    bool same_for_threads;       /* plussi_is_same_for_threads */
    bool moving;       /* some level is divided into blocks whose length outer loops may change */
    uint32_t n_before; /* checks outside of all loops */
    plussi_plan_node **before;
    int swap_level; /* level at which its memory is known; -1: before all; -2: never swapped */
};

/* Memory of a root array, and the groups that can touch it. */
typedef struct plussi_array_range {
    uint32_t root;
    uint64_t first, last; /* lines, of thread 0's copy */
    uint64_t furthest;    /* the largest `last` of this range and the earlier ones */
    uint64_t copy_lines;  /* private: lines from one thread's copy to the next; 0: shared */
    uint32_t n_groups;
    plussi_group **group; /* the last in the text first */
} plussi_array_range;

PLUSS_NODISCARD pluss_status plussi_plan_groups(plussi_ctx *ctx, plussi_engine *e);

/* alike.c: whether which of a thread's accesses in an instance of the innermost worksharing loop
 * around it touch a line does not depend on the thread. */
bool plussi_is_same_for_threads(const plussi_group *group);
/* Whether a worksharing loop has one block a thread and a team that does not change. */
static inline bool plussi_is_block(const plussi_plan_node *loop)
{
    return loop->collapse <= 1 && loop->schedule == PLUSSI_SCHED_STATIC && !loop->chunk &&
           loop->par && loop->par->team_fixed;
}

/* Narrows box to the values for which x can be in target; false: none. Conditions: target {1, 1}.
 */
bool plussi_cexpr_narrow(const plussi_cexpr *x, plussi_interval target, plussi_interval *box);

#endif

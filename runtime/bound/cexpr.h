/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How compiled expressions are made, and what is known about their place. Internal to binding; the
 * bound nest's arena owns all objects.
 */
#ifndef PLUSSI_BOUND_CEXPR_H
#define PLUSSI_BOUND_CEXPR_H

#include "bound/bound.h"

/* ---- what is known at a place of the tree: reach.c ---------------------------------------------
 */

enum { PLUSSI_MAX_GUARDS = 32 };

typedef struct plussi_scope {
    uint32_t depth;                                  /* loops around */
    const plussi_bound_loop *loop[PLUSSI_MAX_SLOTS]; /* by slot */
    plussi_interval box[PLUSSI_MAX_SLOTS];           /* by slot; slot 0: $thread */
    uint32_t opaque;          /* slots without a known range; theirs is all of int64_t */
    bool dead;                /* never executed: the box is empty somewhere */
    bool parallel, nested;    /* inside a parallel region; inside two */
    const plussi_cexpr *team; /* $team */
    uint32_t n_guards; /* affine expressions that are >= 0 here (some of them may be dropped) */
    const plussi_cexpr *guard[PLUSSI_MAX_GUARDS];
    uint32_t n_conds; /* the enclosing conditions, and whether they hold or not */
    const plussi_cexpr *cond[PLUSSI_MAX_GUARDS];
    bool truth[PLUSSI_MAX_GUARDS];
    bool more_conds; /* there are more of them */
} plussi_scope;

/* Records that cond has the value truth from here on: adds guards, narrows ranges, may set dead. */
PLUSS_NODISCARD pluss_status plussi_scope_assume(plussi_scope *scope, plussi_arena *arena,
                                                 const plussi_cexpr *cond, bool truth);
void plussi_scope_record(plussi_scope *scope, const plussi_cexpr *cond, bool truth);

/* extents.c: whether some iteration of the scope has a negative subscript, or one that is not below
 * extent. MAYBE: undecided after a fixed number of boxes. */
typedef enum plussi_outside {
    PLUSSI_OUTSIDE_NEVER,
    PLUSSI_OUTSIDE_MAYBE,
    PLUSSI_OUTSIDE_FOUND
} plussi_outside;
plussi_outside plussi_find_outside(const plussi_scope *scope, const plussi_cexpr *sub,
                                   int64_t extent);

/* Bounds of x here. At least as tight as plussi_cexpr_range over the box; for affine x the bounds
 * of the outer loops replace their IVs, so that triangular nests are exact. */
plussi_interval plussi_scope_range(const plussi_scope *scope, const plussi_cexpr *x);
bool plussi_scope_knows(const plussi_scope *scope,
                        const plussi_cexpr *x); /* whether its range is known */

/* ---- algebra: fold.c ---------------------------------------------------------------------------
 *
 * Each makes the simplest expression with that value. Parts decided by the ranges of the slots in
 * scope (NULL: unknown) are folded. PLUSS_ERANGE if constants overflow, PLUSS_ENOMEM; neither is
 * reported. */
typedef struct plussi_fold {
    plussi_arena *arena;
    const plussi_scope *scope;
} plussi_fold;

PLUSS_NODISCARD pluss_status plussi_fold_const(plussi_fold *f, int64_t value,
                                               const plussi_cexpr **out);
PLUSS_NODISCARD pluss_status plussi_fold_slot(plussi_fold *f, uint32_t slot,
                                              const plussi_cexpr **out);
PLUSS_NODISCARD pluss_status plussi_fold_add(plussi_fold *f, const plussi_cexpr *a,
                                             const plussi_cexpr *b, const plussi_cexpr **out);
PLUSS_NODISCARD pluss_status plussi_fold_sub(plussi_fold *f, const plussi_cexpr *a,
                                             const plussi_cexpr *b, const plussi_cexpr **out);
PLUSS_NODISCARD pluss_status plussi_fold_scale(plussi_fold *f, int64_t k, const plussi_cexpr *a,
                                               const plussi_cexpr **out);
PLUSS_NODISCARD pluss_status plussi_fold_mul(plussi_fold *f, const plussi_cexpr *a,
                                             const plussi_cexpr *b, const plussi_cexpr **out);
PLUSS_NODISCARD pluss_status plussi_fold_div(plussi_fold *f, const plussi_cexpr *a, int64_t k,
                                             const plussi_cexpr **out); /* k >= 1 */
PLUSS_NODISCARD pluss_status plussi_fold_mod(plussi_fold *f, const plussi_cexpr *a, int64_t k,
                                             const plussi_cexpr **out); /* k >= 1 */
/* MIN or MAX */
PLUSS_NODISCARD pluss_status plussi_fold_extreme(plussi_fold *f, plussi_cexpr_kind kind,
                                                 const plussi_cexpr *a, const plussi_cexpr *b,
                                                 const plussi_cexpr **out);
PLUSS_NODISCARD pluss_status plussi_fold_select(plussi_fold *f, const plussi_cexpr *cond,
                                                const plussi_cexpr *a, const plussi_cexpr *b,
                                                const plussi_cexpr **out);
/* GE0, EQ0, NE0 */
PLUSS_NODISCARD pluss_status plussi_fold_test(plussi_fold *f, plussi_cexpr_kind kind,
                                              const plussi_cexpr *a, const plussi_cexpr **out);
/* AND, OR */
PLUSS_NODISCARD pluss_status plussi_fold_logic(plussi_fold *f, plussi_cexpr_kind kind,
                                               const plussi_cexpr *a, const plussi_cexpr *b,
                                               const plussi_cexpr **out);
PLUSS_NODISCARD pluss_status plussi_fold_not(plussi_fold *f, const plussi_cexpr *a,
                                             const plussi_cexpr **out);

static inline bool plussi_cexpr_is_const(const plussi_cexpr *x)
{
    return x->kind == PLUSSI_CEXPR_AFFINE && x->n == 0;
}

/* ---- queries: cexpr.c
 * ----------------------------------------------------------------------------
 */

/* Whether no intermediate value of x can leave 64 bits while the slots are in box. */
bool plussi_cexpr_safe(const plussi_cexpr *x, const plussi_interval *box);
/* Whether x has a LOAD from an array with unknown contents: neither its value nor its range is
 * known. */
bool plussi_cexpr_opaque(const plussi_cexpr *x);

#endif

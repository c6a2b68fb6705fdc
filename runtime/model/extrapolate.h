/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reuse profiles from small loop bounds (Razzak, Barai, Santhi, Badawy, "Static Reuse Profile
 * Estimation for Stencil Applications"): the nest is executed with small bounds, the histograms of
 * its reuse distances are written as progressions of distances, and every number of these is a
 * polynomial of the bounds, fitted exactly. The paper does so for innermost loops of bounds 2, 3
 * and 4 and adds one term for two loops; here all bounds have polynomials of any degree up to
 * PLUSSI_SMALL_DEGREE, in the class of bounds with the same remainder by a period (lines hold
 * several elements), and bounds that were held back check them.
 */
#ifndef PLUSSI_MODEL_EXTRAPOLATE_H
#define PLUSSI_MODEL_EXTRAPOLATE_H

#include "base/effort.h"
#include "bound/bound.h"
#include "profile/profile.h"

enum {
    PLUSSI_SMALL_BOUNDS = 12, /* loop bounds of a nest that can be extrapolated in, at most */
    PLUSSI_SMALL_DEGREE = 5   /* of a polynomial in one of them, at most */
};

/* ---- extrapolate_bounds.c: what varies ------------------------------------------------------- */

/* A symbol that loop bounds depend on. */
typedef struct plussi_small_bound {
    const plussi_symbol *symbol; /* of plussi_small_nest.nest */
    int64_t target;              /* its value in the prediction */
    int64_t period; /* distances and counts are polynomials of values with equal remainders by it */
} plussi_small_bound;

/* A copy of a nest in which bounds that are numbers are symbols, too. */
typedef struct plussi_small_nest {
    plussi_nest *nest;
    uint32_t line_bytes;
    int64_t *value; /* by symbol id: of the prediction */
    char **name;    /* by symbol id: as a binding names it */
    size_t n;       /* bounds, in order of declaration */
    plussi_small_bound bound[PLUSSI_SMALL_BOUNDS];
    int64_t least; /* numbers that bounds may be compared with are no larger */
    size_t depth;  /* loops in each other, and repetitions: no polynomial is of a higher degree */
} plussi_small_nest;

/* Of a nest that is bound for one thread. PLUSS_EUNSUPPORTED, naming it: a construct whose accesses
 * are no polynomials of bounds (branches with a probability, values loaded from memory), more
 * bounds than there may be. The caller frees *out, on failure too. O(nodes + symbols). */
PLUSS_NODISCARD pluss_status plussi_small_nest_make(plussi_ctx *ctx, const plussi_bound *bound,
                                                    plussi_small_nest *out);
void plussi_small_nest_free(plussi_ctx *ctx, plussi_small_nest *nest);
/* The nest with these values of its bounds, for one thread. As plussi_bind. */
PLUSS_NODISCARD pluss_status plussi_small_nest_bind(plussi_ctx *ctx, const plussi_small_nest *nest,
                                                    const int64_t *value, plussi_bound **out);

/* ---- extrapolate_profile.c: an exact profile, as numbers in a shape -------------------------- */

/* The accesses of a reference in program order are items, each with the numbers that go with its
 * codes in the array of values: an access with its distance, or, where blocks of items come again
 * and again in the iterations of a loop, a run: how many blocks there are; the numbers of the first
 * one; their differences from block to block; the differences of these, which are constant. */
enum {
    PLUSSI_SMALL_REF = 1u << 31, /* + the number of the reference whose items follow */
    PLUSSI_SMALL_RUN = 0,        /* next: how many codes a block has; these */
    PLUSSI_SMALL_COLD = 1,       /* the first touch of a line; its number is 0 */
    PLUSSI_SMALL_DISTANCE = 2,   /* + the reference that touched the line before */
    PLUSSI_SMALL_ORDER = 2       /* of the differences that a run has */
};

typedef struct plussi_small_profile {
    uint32_t *code; /* the shape: equal for all bounds that a fit is good for */
    int64_t *value; /* the numbers of its items */
    size_t n_code, n_value;
    uint64_t accesses;
} plussi_small_profile;

/* Of the nest bound for one thread (plussi_small_nest_make refuses what this cannot execute).
 * PLUSS_ELIMIT: too many accesses. The caller frees. Time of an exact simulation; memory O(lines +
 * accesses of a loop's execution). */
PLUSS_NODISCARD pluss_status plussi_small_profile_make(plussi_ctx *ctx, const plussi_bound *bound,
                                                       plussi_effort *effort,
                                                       plussi_small_profile *out);
void plussi_small_profile_free(plussi_ctx *ctx, plussi_small_profile *profile);

/* Codes and numbers of the item at code. */
void plussi_small_item_size(const uint32_t *code, size_t *n_code, size_t *n_value);

/* ---- extrapolate_fit.c: the numbers as polynomials ------------------------------------------- */

/* Number v of the shape is the sum over terms k of coefficient[k * n_value + v] times the product
 * over bounds i of binomial(t_i, term[k][i]), t_i = (bound i - base[i]) / step[i]. */
typedef struct plussi_small_fit {
    int64_t base[PLUSSI_SMALL_BOUNDS], step[PLUSSI_SMALL_BOUNDS];
    uint8_t degree[PLUSSI_SMALL_BOUNDS]; /* 0: the bound is small and stays as it is */
    size_t n_terms;
    uint8_t (*term)[PLUSSI_SMALL_BOUNDS];
    plussi_small_profile shape; /* at the base */
    int64_t *coefficient;
    uint64_t walked; /* accesses of all small profiles */
} plussi_small_fit;

/* Tries larger and larger bases until bounds that were held back have exactly the profiles that the
 * fit says. PLUSS_EUNSUPPORTED: none of them does; the message has the share of accesses in which
 * the last fit and the exact profile differ. PLUSS_ELIMIT: the effort is used up. ask: called
 * before each profile; not 0: PLUSS_ECANCELLED. The caller frees *out, on failure too. */
PLUSS_NODISCARD pluss_status plussi_small_fit_make(
    plussi_ctx *ctx, const plussi_small_nest *nest, plussi_effort *effort,
    int (*ask)(void *user, double done, double error), void *user, plussi_small_fit *out);
void plussi_small_fit_free(plussi_ctx *ctx, plussi_small_fit *fit);
/* All numbers of the shape at these bounds, which are base + a multiple of step, into value.
 * PLUSS_ERANGE: one does not fit 64 bits. O(terms * numbers). */
PLUSS_NODISCARD pluss_status plussi_small_fit_evaluate(plussi_ctx *ctx,
                                                       const plussi_small_nest *nest,
                                                       const plussi_small_fit *fit,
                                                       const int64_t *bound, int64_t *value);

/* ---- extrapolate.c --------------------------------------------------------------------------- */

/* The accesses that a code DISTANCE or COLD stands for. */
typedef struct plussi_small_leaf {
    double accesses; /* 0: none, or another code */
    int64_t least, greatest;
} plussi_small_leaf;

/* leaf: by code. */
PLUSS_NODISCARD pluss_status plussi_small_leaves(plussi_ctx *ctx, const plussi_small_profile *shape,
                                                 const int64_t *value, plussi_small_leaf *leaf);

/* ---- extrapolate_formula.c -------------------------------------------------------------------
 */

/* Distances and accesses as polynomials of the bounds, those with the same distance together, most
 * accesses first. Accesses of which one of these is no polynomial are together in a last row. The
 * caller frees with plussi_profile_formulas_free. */
PLUSS_NODISCARD pluss_status plussi_small_formulas(plussi_ctx *ctx, const plussi_small_nest *nest,
                                                   const plussi_small_fit *fit,
                                                   plussi_profile_formula **out, size_t *n);

#endif

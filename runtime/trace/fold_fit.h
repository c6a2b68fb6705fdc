/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A number of a tree as a polynomial of the sizes of runs: the simplest one that gives its value in
 * every run.
 */
#ifndef PLUSSI_TRACE_FOLD_FIT_H
#define PLUSSI_TRACE_FOLD_FIT_H

#include "base/ctx.h"

enum {
    PLUSSI_FOLD_RUNS = 16,   /* to be fitted, at most */
    PLUSSI_FOLD_SIZES = 8,   /* sizes of a run, at most */
    PLUSSI_FOLD_FACTORS = 4, /* of a product of sizes */
    PLUSSI_FOLD_SUMMANDS = 16,
    PLUSSI_FOLD_SUMS = 1 << 25 /* tried for all numbers and shapes of a folding, at most */
};

/* A quantity of a run: a size; half of one, rounded down; a size divided by a tile's, rounded up.
 */
typedef struct plussi_fold_quantity {
    uint32_t size;
    int64_t divisor; /* 1: the size itself */
    bool up;         /* rounded up */
} plussi_fold_quantity;

/* factor * product of quantities */
typedef struct plussi_fold_summand {
    int64_t factor;
    uint32_t degree;
    uint8_t quantity[PLUSSI_FOLD_FACTORS]; /* ascending */
} plussi_fold_summand;

/* The sum divided by divisor, without remainder. */
typedef struct plussi_fold_poly {
    uint32_t n;
    plussi_fold_summand summand[PLUSSI_FOLD_SUMMANDS];
    int64_t divisor;
} plussi_fold_poly;

/* The sizes of all runs, and what polynomials are made of. */
typedef struct plussi_fold_fitter {
    uint32_t n_runs, n_sizes, n_quantities;
    plussi_fold_quantity quantity[3 * PLUSSI_FOLD_SIZES];
    int64_t value[3 * PLUSSI_FOLD_SIZES][PLUSSI_FOLD_RUNS]; /* of a quantity in a run */
    plussi_fold_summand *monomial; /* factor 1: by degree, those of sizes alone first */
    /* Those of sizes alone are the first n_plain, of which n_short are for sums of four; n_low of
     * all are for sums of three. */
    uint32_t n_monomials, n_plain, n_short, n_low;
    int64_t (*column)[PLUSSI_FOLD_RUNS]; /* of a monomial */
    uint64_t *left;                      /* sums that may be tried yet; borrowed */
} plussi_fold_fitter;

/* size[run * n_sizes + i], each >= 0. tile: the size of tiles, 0: there are none. *left: how many
 * sums all fits together may try; it counts down. PLUSS_EINVAL: more runs or sizes than the limits.
 * The caller clears. */
PLUSS_NODISCARD pluss_status plussi_fold_fitter_init(const plussi_mem *mem,
                                                     plussi_fold_fitter *fitter,
                                                     const int64_t *size, uint32_t n_runs,
                                                     uint32_t n_sizes, int64_t tile,
                                                     uint64_t *left);
void plussi_fold_fitter_clear(const plussi_mem *mem, plussi_fold_fitter *fitter);

/* The polynomial of value[run]: sums of up to four products, of degree 3 at most (four summands of
 * five sizes and more: of degree 2), with fewer summands than runs (sums of sizes alone), two
 * fewer (sums of products); products of sums and
 * differences of two sizes and a small number; with halves and tiles. The fewest summands, then the
 * lowest degrees and factors win. false: there is none, or *left has
 * come to 0. O(monomials ^ summands). */
bool plussi_fold_fit(const plussi_fold_fitter *fitter, const int64_t *value, plussi_fold_poly *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The evaluation of a formula's classes for values of the symbols, shared by what enumerates their
 * iterations (evaluate_formula.c) and what sums their accesses in closed form (sum_class.c).
 */
#ifndef PLUSSI_SYMBOLIC_EVALUATION_H
#define PLUSSI_SYMBOLIC_EVALUATION_H

#include "symbolic/formula.h"

enum {
    PLUSSI_FORMULA_DEGREE = 6,  /* of numbers of accesses that are summed without enumeration */
    PLUSSI_FORMULA_PERIOD = 64, /* of the values of an iteration that its floors tell apart */
    PLUSSI_FORMULA_POINTS = 200000000 /* that are evaluated, at most: some seconds */
};

/* A class with values for its symbols, and for some of its iterations. */
typedef struct plussi_evaluation {
    plussi_ctx *ctx;
    const plussi_formula *f;
    const plussi_formula_class *class;
    const plussi_formula_guard *guards; /* the class's; of `narrowed`, one more */
    uint32_t n_guards;
    bool *is_bound; /* of each: it is linear in the iteration of its level, and narrows it */
    plussi_formula_guard *narrowed;
    int64_t *value;             /* of each variable */
    __int128 *count, *distance; /* factors of their terms, with the symbols in them */
    uint32_t *floor_level;      /* iterations that a floor speaks of: none after this many */
    pluss_status status;
    uint64_t points; /* that were evaluated */
    /* what is asked for: the histogram, or misses */
    plussi_formula_take *take;
    void *user;
    uint64_t lines;
    plussi_formula_misses *misses;
} plussi_evaluation;

typedef struct plussi_int_range { /* low > high: empty */
    int64_t low, high;
} plussi_int_range;

/* Values of an iteration and of those after it: `first + period * turn`, so that its floors are
 * linear in the turn; period 0: all values. Those before it have their values. */
typedef struct plussi_formula_box {
    uint32_t level;
    int64_t first, period;
    plussi_int_range turns;
} plussi_formula_box;

/* Numbers of variables. */
static inline uint32_t plussi_formula_dim(const plussi_evaluation *e, uint32_t level)
{
    return e->f->n_symbols + level - 1;
}

static inline uint32_t plussi_formula_first_floor(const plussi_evaluation *e)
{
    return e->f->n_symbols + e->class->n_dims;
}

static inline uint32_t plussi_formula_variables(const plussi_evaluation *e)
{
    return plussi_formula_first_floor(e) + e->class->n_floors;
}

/* The row's value over the first n variables. Coefficients have 32 bits at most, so that rows of a
 * few dozen products fit. */
__int128 plussi_formula_row_value(const plussi_evaluation *e, const plussi_formula_row *row,
                                  uint32_t n);
/* Floors whose last iteration is that of the level; 0: floors of symbols. */
void plussi_formula_set_floors(plussi_evaluation *e, uint32_t level);
/* The class's count or distance. false: e->status says why. */
bool plussi_formula_poly_value(plussi_evaluation *e, const plussi_formula_poly *p, __int128 *out);
bool plussi_formula_does_not_fit(plussi_evaluation *e); /* false */
/* Sets what a class has for all its iterations. *holds: there are some, as far as symbols tell. */
bool plussi_formula_begin_class(plussi_evaluation *e, const plussi_formula_class *class,
                                bool *holds);
bool plussi_formula_add_count(plussi_evaluation *e, uint64_t *to, __int128 count);
/* One more point; false: there were too many. */
bool plussi_formula_count_point(plussi_evaluation *e);

/* Sets the guards, the class's or the narrowed ones. */
void plussi_formula_set_guards(plussi_evaluation *e, const plussi_formula_guard *guards,
                               uint32_t n);
/* Of one of the evaluation's guards. */
static inline bool plussi_formula_is_bound(const plussi_evaluation *e,
                                           const plussi_formula_guard *g)
{
    return e->is_bound[g - e->guards];
}
/* Guards of the level that do not narrow its iteration, and equalities, hold. */
bool plussi_formula_guards_hold(const plussi_evaluation *e, uint32_t level);
/* The values that the level's bounds allow. false: there is no bound, which is an error. */
bool plussi_formula_find_range(plussi_evaluation *e, uint32_t level, plussi_int_range *out);
/* A guard that says `at_0 + slope * x` is at least 0, or is 0, narrows the range of x. */
void plussi_formula_narrow(__int128 at_0, __int128 slope, bool equal, plussi_int_range *range);

/* ---- sum_misses.c -----------------------------------------------------------------------------
 */

/* Adds what the class has at more than e->lines to e->misses. Iterations whose accesses all miss,
 * or all hit, are summed together or left out, ranges by halves; O(values of iterations on the edge
 * between them). */
bool plussi_formula_add_misses(plussi_evaluation *e, const plussi_formula_class *class);

/* ---- sum_class.c ------------------------------------------------------------------------------
 */

/* The sum of a polynomial over n >= 0 values one after another, from its first degree + 1 values
 * (n of them at least): Newton's forward differences, which take their place. false: it does not
 * fit. */
bool plussi_formula_sum_values(__int128 *value, int degree, __int128 n, __int128 *out);

/* Sums of the class's counts over the iterations that its guards allow. Iterations are summed in
 * closed form where their number is a polynomial in those around them; others are enumerated. */
typedef struct plussi_class_sums plussi_class_sums;

/* Of the evaluation's class and guards. NULL: PLUSS_ENOMEM in e->status. */
plussi_class_sums *plussi_class_sums_new(plussi_evaluation *e);
void plussi_class_sums_free(plussi_evaluation *e, plussi_class_sums *sums); /* NULL is allowed */
/* How far apart the values of a turn are where the level is summed in closed form; 0: it is not. */
int64_t plussi_class_sums_period(const plussi_class_sums *sums, uint32_t level);
bool plussi_class_sums_all(plussi_class_sums *sums, __int128 *out);
bool plussi_class_sums_box(plussi_class_sums *sums, const plussi_formula_box *box, __int128 *out);
/* All of them, once. */
bool plussi_formula_sum_class(plussi_evaluation *e, __int128 *out);

/* ---- distance_range.c -------------------------------------------------------------------------
 */

/* Bounds of the class's distances, not the narrowest ones; an empty range: it has no iterations.
 * PLUSS_ENOMEM. */
bool plussi_formula_find_distances(plussi_evaluation *e, plussi_int_range *out);

/* The same box by box, narrower: terms that cancel each other do so. */
typedef struct plussi_distances plussi_distances;
plussi_distances *plussi_distances_new(plussi_evaluation *e); /* NULL: PLUSS_ENOMEM in e->status */
void plussi_distances_free(plussi_evaluation *e, plussi_distances *distances); /* NULL is allowed */
/* O(terms + guards). Changes the values of the box's iterations. */
plussi_int_range plussi_distances_of(plussi_distances *distances, const plussi_formula_box *box);

/* Sets a guard, whose row has room for all variables, to those iterations of the box whose distance
 * is more than e->lines. false: the distance is not linear in them. */
bool plussi_distances_guard(plussi_distances *distances, const plussi_formula_box *box,
                            plussi_formula_guard *out);
/* The same of all iterations. */
bool plussi_formula_guard_distance(const plussi_evaluation *e, plussi_formula_guard *out);

#endif

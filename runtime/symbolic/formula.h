/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Symbolic stack histograms: classes of accesses with quasi-polynomials for how many there are and
 * for their stack distance, in the symbols of a nest.
 *
 * A variable of a formula is a symbol (or, where rows of arrays are whole lines, the quotient of
 * the symbol and `unit`), an iteration of a loop, or a floor: the integer part of a linear function
 * of the variables before it, over a positive number.
 */
#ifndef PLUSSI_SYMBOLIC_FORMULA_H
#define PLUSSI_SYMBOLIC_FORMULA_H

#include "base/ask.h"
#include "nest/nest.h"

typedef struct plussi_formula_row { /* constant + sum of coefficient[v] * variable v */
    int64_t constant;
    int64_t *coefficient; /* of all variables that the class has */
} plussi_formula_row;

typedef struct plussi_formula_floor {
    plussi_formula_row row;
    int64_t over; /* > 0 */
} plussi_formula_floor;

typedef struct plussi_formula_term {
    int64_t factor; /* over the polynomial's denominator */
    uint8_t *power; /* of each variable */
} plussi_formula_term;

typedef struct plussi_formula_poly {
    uint32_t n;
    int64_t denominator; /* > 0 */
    plussi_formula_term *term;
} plussi_formula_poly;

typedef struct plussi_formula_guard {
    plussi_formula_row row;
    bool equal;     /* row == 0, else row >= 0 */
    bool implied;   /* by the others, which have floors: it bounds an iteration */
    uint32_t level; /* iterations that it speaks of: none after this many */
} plussi_formula_guard;

/* For all values of its iterations that the guards allow, `count` accesses at `distance`. */
typedef struct plussi_formula_class {
    uint32_t sink, source;     /* numbers of the references in the nest; source UINT32_MAX: cold */
    uint32_t n_dims;           /* iterations that the distance or the guards have */
    const plussi_node **loops; /* their loops; NULL: the region's repeat */
    bool *by_number;           /* the variable is the iteration's number, not the loop's variable */
    uint32_t n_floors, n_guards;
    plussi_formula_floor *floors;
    plussi_formula_guard *guards; /* those of a level bound its iteration, where they are linear */
    plussi_formula_poly count, distance; /* distance: from 1 on, of no terms where it is cold */
} plussi_formula_class;

typedef struct plussi_formula_classes {
    plussi_formula_class *class;
    size_t n, cap;
} plussi_formula_classes;

typedef struct plussi_formula_symbol {
    const plussi_symbol *symbol;
    int64_t unit, least; /* the symbol is a multiple of unit, and at least `least` */
} plussi_formula_symbol;

typedef struct plussi_formula {
    plussi_arena arena;
    const plussi_region *region;
    uint64_t line; /* bytes */
    uint32_t n_symbols;
    plussi_formula_symbol *symbol;
    plussi_formula_classes classes;
    plussi_formula_classes accesses; /* all of them: classes with a count alone */
    const plussi_node **ref;         /* by number */
    double seconds;                  /* of the processor, that the derivation took */
} plussi_formula;

/* ---- derivation: derive.c -----------------------------------------------------------------------
 */

enum {
    PLUSSI_SYMBOLIC_EFFORT = 100000000, /* some fifteen seconds */
    PLUSSI_LINE_FORMS = 5 /* sizes of lines that formulas in the size are made of: line_forms.h */
};

typedef struct plussi_formula_options {
    uint64_t line;   /* bytes, a power of two, at least as large as each element */
    uint64_t effort; /* isl's operations at most; 0: PLUSSI_SYMBOLIC_EFFORT */
    plussi_ask ask;  /* about the stage "derive" */
} plussi_formula_options;

/* The symbolic histogram of what one thread's accesses of the region find in a stack that is empty
 * at first. Exact for all symbols that are at least PLUSSI_SYMBOLIC_LEAST, and multiples of their
 * units. nest is borrowed by the result. PLUSS_EUNSUPPORTED, by name and place: no such formula;
 * PLUSS_ELIMIT: it takes more than the effort; PLUSS_ECANCELLED. */
PLUSS_NODISCARD pluss_status plussi_formula_derive(plussi_ctx *ctx, const plussi_nest *nest,
                                                   const plussi_region *region,
                                                   const plussi_formula_options *options,
                                                   plussi_formula **out);
void plussi_formula_free(plussi_formula *formula); /* NULL is allowed */

/* ---- evaluation: evaluate_formula.c -------------------------------------------------------------
 */

/* Accesses at a stack distance; 0: cold. May be called for a distance several times. */
typedef bool plussi_formula_take(void *user, uint64_t distance, uint64_t count);

/* The histogram for values of the symbols (n_symbols of them, the symbols' own). PLUSS_ERANGE,
 * naming the symbol: too small, no multiple of its unit, or a number does not fit 64 bits;
 * PLUSS_ENOMEM where take returns false; PLUSS_ELIMIT: it would take more than some seconds.
 * O(values of the iterations that distances depend on). */
PLUSS_NODISCARD pluss_status plussi_formula_histogram(plussi_ctx *ctx, const plussi_formula *f,
                                                      const int64_t *values,
                                                      plussi_formula_take *take, void *user);

/* Accesses, and those that miss in a fully associative LRU cache of that many lines, cold ones
 * among them. */
typedef struct plussi_formula_misses {
    uint64_t accesses, cold, misses;
} plussi_formula_misses;

PLUSS_NODISCARD pluss_status plussi_formula_count_misses(plussi_ctx *ctx, const plussi_formula *f,
                                                         const int64_t *values, uint64_t lines,
                                                         plussi_formula_misses *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region as integer sets and relations of isl: which iterations there are, which lines each
 * reference touches, and in which order. One thread executes it; loops that are divided among a
 * team have all of their iterations.
 *
 * All sets have the nest's unbound symbols as parameters. isl's own conventions of ownership hold
 * (__isl_give, __isl_take, __isl_keep); a failed call gives NULL, which all others accept.
 */
#ifndef PLUSSI_SYMBOLIC_POLYHEDRAL_H
#define PLUSSI_SYMBOLIC_POLYHEDRAL_H

#include <isl/map.h>
#include <isl/union_map.h>

#include "nest/nest.h"

enum { PLUSSI_SYMBOLIC_LEAST = 8 }; /* formulas hold for symbols that are no smaller */

/* A symbol without a value. Where lines hold several elements and a row is as long as the symbol
 * says, rows are whole lines: the symbol is a multiple of `unit`, and its parameter is the
 * quotient. */
typedef struct plussi_poly_symbol {
    const plussi_symbol *symbol;
    int64_t unit; /* >= 1, a power of two */
} plussi_poly_symbol;

static inline int64_t plussi_least_parameter(int64_t unit)
{
    const int64_t least = (PLUSSI_SYMBOLIC_LEAST + unit - 1) / unit;
    return least > 2 ? least : 2;
}

/* A reference: a statement of its own, with an iteration for each execution. */
typedef struct plussi_poly_ref {
    const plussi_node *node;
    uint32_t depth;            /* loops around it */
    const plussi_node **loops; /* depth of them, the outermost first; NULL: the region's repeat */
    int64_t *position; /* depth + 1: in the region's body, and in that of each of the loops */
    isl_map *access;   /* iterations to lines, of those that are executed */
    isl_map *order;    /* iterations to their place in time, compared lexicographically */
} plussi_poly_ref;

typedef struct plussi_polyhedral {
    plussi_arena arena;
    isl_ctx *isl;
    isl_set *context; /* of parameters: what formulas hold for */
    uint32_t n_symbols;
    plussi_poly_symbol *symbol;
    uint32_t n_refs;
    plussi_poly_ref *ref;
    uint32_t n_arrays;           /* whose lines are told apart */
    const plussi_array **arrays; /* by the number in the name of their lines' space */
} plussi_polyhedral;

/* The region in sets. line: bytes, a power of two, at least as large as each element.
 * PLUSS_EUNSUPPORTED, naming the construct and its place: what is not quasi-affine, arrays that
 * share memory or that do not start where a line does, code of which only a run tells how often it
 * is executed. nest is borrowed. */
PLUSS_NODISCARD pluss_status plussi_polyhedral_new(plussi_ctx *ctx, const plussi_nest *nest,
                                                   const plussi_region *region, uint64_t line,
                                                   plussi_polyhedral **out);
void plussi_polyhedral_free(plussi_polyhedral *p); /* NULL is allowed */

#endif

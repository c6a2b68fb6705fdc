/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions and conditions of a nest as piecewise quasi-affine functions and sets of isl.
 */
#ifndef PLUSSI_SYMBOLIC_QUASI_AFFINE_H
#define PLUSSI_SYMBOLIC_QUASI_AFFINE_H

#include "symbolic/polyhedral.h"

#include <isl/aff_type.h>

/* What the names in an expression mean. */
typedef struct plussi_affine_scope {
    const plussi_polyhedral *p; /* symbols */
    isl_space *space;           /* of the iterations that the functions are of */
    isl_set *domain;            /* of them, those that are executed */
    const plussi_node *loop[PLUSSI_MAX_LOOPS + 1];
    isl_pw_aff *iv[PLUSSI_MAX_LOOPS + 1]; /* their induction variables */
    uint32_t n_loops;
} plussi_affine_scope;

/* NULL: the expression is not quasi-affine (a load, the number of a thread, a product of what
 * varies), or out of memory. The team has one thread. */
__isl_give isl_pw_aff *plussi_affine_of(const plussi_affine_scope *scope, const plussi_expr *expr);
__isl_give isl_set *plussi_affine_condition(const plussi_affine_scope *scope,
                                            const plussi_expr *expr);

#endif

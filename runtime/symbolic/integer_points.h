/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many integer points a set has, as a function of its parameters: sums of polynomials, one
 * dimension after another, between bounds that isl finds (Faulhaber's formulas).
 */
#ifndef PLUSSI_SYMBOLIC_INTEGER_POINTS_H
#define PLUSSI_SYMBOLIC_INTEGER_POINTS_H

#include <isl/polynomial.h>
#include <isl/set.h>
#include <stdint.h>

/* Points that differ in the dimensions from the first `keep` on, as a piecewise quasi-polynomial of
 * the parameters and of those before; 0 outside of its pieces. NULL: a dimension is unbounded,
 * isl's limit of operations is reached, or out of memory. Exact; exponential in the dimensions in
 * the worst case. */
__isl_give isl_pw_qpolynomial *plussi_count_points(__isl_take isl_set *set, unsigned keep);

/* The polynomial as one of these dimensions alone, in this order; it has no others. Takes it. */
__isl_give isl_qpolynomial *plussi_keep_dims(__isl_take isl_qpolynomial *what, const uint32_t *dims,
                                             uint32_t n);

#endif

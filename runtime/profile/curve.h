/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves are built from the right: the height of a step is the sum of the weights to its right.
 * Only positive numbers are added, so that rounding can never make a curve rise.
 */
#ifndef PLUSSI_PROFILE_CURVE_H
#define PLUSSI_PROFILE_CURVE_H

#include "profile/mrc.h"

/* Allocates a curve of up to n steps, n >= 1; out->n is 0. */
PLUSS_NODISCARD pluss_status plussi_curve_alloc(const plussi_mem *mem, size_t n, plussi_mrc *out);

/* Turns steps (size[i], level[i] = weight of the misses), i < n, sizes not descending, levels not
 * rising, into miss ratios. Of several steps at one size the last counts, of several at one level
 * the first. size and level are the curve's own arrays; size[0] = 0 and level[0] = all accesses. */
void plussi_curve_finish(plussi_mrc *curve, size_t n);

#endif

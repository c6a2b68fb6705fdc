/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves are built from the right: a step's height is the sum of what is after it, so that
 * adding positive numbers alone can never make a curve rise, whatever the rounding.
 */
#ifndef PLUSSI_PROFILE_CURVE_H
#define PLUSSI_PROFILE_CURVE_H

#include "profile/mrc.h"

/* Room for a curve of up to n steps, n >= 1; out->n is 0. */
PLUSS_NODISCARD pluss_status plussi_curve_alloc(const plussi_mem *mem, size_t n, plussi_mrc *out);

/* Takes the steps (size[i], level[i] = weight of the misses), i < n, sizes not descending, levels
 * not rising, and makes them miss ratios; of steps at one size the last counts, of steps at one
 * level the first. size and level are the curve's own arrays; size[0] = 0 and level[0] = all. */
void plussi_curve_finish(plussi_mrc *curve, size_t n);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nests to nests: other orders of loops and accesses, other layouts of arrays. The result touches
 * the same elements, each reference as often as before. What would change the order of conflicting
 * accesses is refused (order.h).
 *
 *     interchange:i,k         the two loops change places; loops between them are split first where
 *                             they hold more
 *     tile:i=32,k=64          loops over tiles of so many iterations around the loops from the
 *                             outermost to the innermost of these
 *     distribute:i            a loop for each of the loops in it, and for what is between them
 *     fuse:i@12,i@15          two loops with the same bounds, one after the other, become one
 *     pad:A=8                 rows (of Fortran's arrays columns) longer by so many elements
 *     spread:count=64         elements of a one-dimensional array that many bytes apart
 *     schedule:i=dynamic,4    of a worksharing loop
 *
 * A loop is its induction variable, with REGION. before it and, where several have it, @LINE after
 * it, or #2 for the second of them. Values that are kept in registers are not described. Where the
 * last access before a place at which a loop is split, or of a loop that is reordered, is a read,
 * what it has read must be kept in one, and the step is refused. Others are not seen: running sums,
 * values from one iteration to the next.
 */
#ifndef PLUSSI_TRANSFORM_TRANSFORM_H
#define PLUSSI_TRANSFORM_TRANSFORM_H

#include "nest/nest.h"

enum { PLUSSI_STEPS_MOST = 64 };

/* Applies the steps in order to a copy of a valid nest; the caller owns *out. PLUSS_EINVAL: a step
 * cannot be read; PLUSS_ENOTFOUND: no such loop or array, or several loops;
 * PLUSS_EUNSUPPORTED: it would not be legal, or could not be shown to be, with the place and the
 * reason. O(references^2) a step. */
PLUSS_NODISCARD pluss_status plussi_transform(plussi_ctx *ctx, const plussi_nest *nest,
                                              const char *const *step, size_t n, plussi_nest **out);

#endif

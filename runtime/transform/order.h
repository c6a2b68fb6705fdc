/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a nest executes conflicting accesses in the order of the nest that it was made of.
 */
#ifndef PLUSSI_TRANSFORM_ORDER_H
#define PLUSSI_TRANSFORM_ORDER_H

#include "transform/space.h"

/* image: what the loops of `made` are, by id. Both nests are numbered; their references are the
 * same, with the same ids. Two accesses conflict where they touch the same bytes and one of them
 * writes. In each order of sequential execution they must come in the same order, and no two of
 * them may be in different iterations of a worksharing loop that was changed. Subscripts are taken
 * to be inside of their extents, arrays that are no views and of no alias group to be distinct.
 * PLUSS_EUNSUPPORTED, with the two accesses: that is not so, or it could not be shown. Exact where
 * bounds, conditions and subscripts are affine with coefficients of 1. O(references^2), each pair
 * O(loops^2) systems. */
PLUSS_NODISCARD pluss_status plussi_check_order(plussi_ctx *ctx, const plussi_nest *old,
                                                const plussi_nest *made, const plussi_image *image);

#endif

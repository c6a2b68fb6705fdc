/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For which sizes a folded nest is known to hold. Runs do not show a mask, a shift, a division, a
 * conversion or a condition that acts in none of them; libpluss-trace watches these and writes
 * lines `watch PC RULE KIND ACTED ADDRESSES LO HI X0 X1 Y0 Y1 FUNCTION` into TRACE.objects
 * (docs/folding.md), with the range of each one's operand in the run. The ranges are polynomials of
 * the sizes, as the nest's own numbers are.
 */
#ifndef PLUSSI_TRACE_FOLD_LIMITS_H
#define PLUSSI_TRACE_FOLD_LIMITS_H

#include "nest/nest.h"
#include "trace/fold.h"

/* Adds to the nest of these traces a derived symbol `holdsN is "WHERE" >= 0 = POLYNOMIAL` for each
 * operation that acts in no run, and may at other sizes, so that binding refuses them. Nothing is
 * added where the polynomial is not negative for all sizes from the least ones of the runs on.
 * tile: the size of tiles, 0: there are none. PLUSS_EUNSUPPORTED with the place: the range of an
 * operand is no polynomial of the sizes. PLUSSI_WARNING: the code was not read. PLUSS_EIO,
 * PLUSS_EFORMAT, PLUSS_ENOMEM. O(lines * polynomials tried). */
PLUSS_NODISCARD pluss_status plussi_fold_limit(plussi_ctx *ctx, const plussi_fold_request *request,
                                               int64_t tile, plussi_nest *nest);

#endif

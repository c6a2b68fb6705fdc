/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The identity of a curve's program.
 */
#ifndef PLUSSI_REPORT_DESCRIBE_H
#define PLUSSI_REPORT_DESCRIBE_H

#include "bound/bound.h"
#include "report/result.h"

/* Sets region, file, line, team, line_bytes, values and unknowns. binding: those that the nest was
 * bound with. On failure the fields already set remain, for plussi_curve_free. */
PLUSS_NODISCARD pluss_status plussi_curve_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                                   const plussi_binding *binding, size_t n_bindings,
                                                   plussi_curve *curve);

#endif

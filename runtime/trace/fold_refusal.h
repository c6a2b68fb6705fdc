/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why runs do not fold, with the access at which they do not.
 */
#ifndef PLUSSI_TRACE_FOLD_REFUSAL_H
#define PLUSSI_TRACE_FOLD_REFUSAL_H

#include "trace/fold_run.h"

/* Says, as an error, which share of the accesses does not fold and where most of them are. Returns
 * PLUSS_EUNSUPPORTED. */
pluss_status plussi_fold_refuse(plussi_ctx *ctx, const plussi_fold_run *run, const char *path);

/* Says, as an error, that no `least` of the n fitted runs are alike, and where the two first differ
 * that agree longest; runs without a tree are passed over, and run i has the values of the symbols
 * from value[i * n_symbols] on. Returns PLUSS_EUNSUPPORTED. O(runs^2 * nodes). */
pluss_status plussi_fold_refuse_shapes(plussi_ctx *ctx, const plussi_fold_run *run, size_t n_runs,
                                       size_t least, size_t n_fitted, const char *const *symbol,
                                       size_t n_symbols, const int64_t *value);

#endif

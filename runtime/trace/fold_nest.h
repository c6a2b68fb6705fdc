/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folded runs as a nest, and the comparison of a nest with a run.
 */
#ifndef PLUSSI_TRACE_FOLD_NEST_H
#define PLUSSI_TRACE_FOLD_NEST_H

#include "bound/bound.h"
#include "trace/fold_fit.h"
#include "trace/fold_run.h"

/* Whether the trees have the same shape, with accesses alike at the same places. Objects without a
 * name are told apart by where they are accessed. */
bool plussi_fold_runs_match(const plussi_fold_run *a, const plussi_fold_run *b);

/* The nest of runs that match; the symbols are the sizes of the fitter, whose runs they are. Valid;
 * the caller owns it. PLUSS_EUNSUPPORTED: numbers that no polynomial gives; regions that are not
 * left where they are entered. */
PLUSS_NODISCARD pluss_status plussi_fold_build(plussi_ctx *ctx, const plussi_fold_run *const *run,
                                               const plussi_fold_fitter *fitter,
                                               const char *const *symbol, plussi_nest **out);

/* Executes the nest by one thread and compares it with the trace that run is of: object, offset,
 * bytes and kind of each access. PLUSS_EUNSUPPORTED with the number of the first that differs. */
PLUSS_NODISCARD pluss_status plussi_fold_compare(plussi_ctx *ctx, const plussi_nest *nest,
                                                 const plussi_binding *binding, size_t n_bindings,
                                                 const plussi_fold_run *run, const char *path);

#endif

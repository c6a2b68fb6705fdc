/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which code the runs of a folding did not execute: TRACE.objects may have lines `site PC
 * FUNCTION`, one for each access in the program's code, executed or not.
 */
#ifndef PLUSSI_TRACE_FOLD_COVERAGE_H
#define PLUSSI_TRACE_FOLD_COVERAGE_H

#include "trace/fold_run.h"

/* Warns where functions that some run executed have accesses that none did. path: a trace of the
 * program. PLUSS_ENOMEM, PLUSS_EIO, PLUSS_EFORMAT. O((sites + tags) log tags). */
PLUSS_NODISCARD pluss_status plussi_fold_warn_of_gaps(plussi_ctx *ctx, const plussi_fold_run *run,
                                                      size_t n_runs, const char *path);

#endif

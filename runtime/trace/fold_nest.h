/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folded runs as a nest, and the comparison of a nest with a run.
 */
#ifndef PLUSSI_TRACE_FOLD_NEST_H
#define PLUSSI_TRACE_FOLD_NEST_H

#include "bound/bound.h"
#include "trace/fold_fit.h"
#include "trace/fold_run.h"

/* Nodes [from, to) of a tree, whole roots, that another tree does not have: what is executed in
 * some runs alone, as the last of an odd number of steps is where two of them are a loop's body. */
typedef struct plussi_fold_part {
    uint32_t from, to;
} plussi_fold_part;

/* Whether the trees have the same shape, with accesses alike at the same places, but for a part of
 * a that b does not have; *part is empty where there is none. Objects without a name are told apart
 * by where they are accessed. O(nodes * roots). */
bool plussi_fold_runs_match(const plussi_fold_run *a, const plussi_fold_run *b,
                            plussi_fold_part *part);

/* Nodes before the first at which the trees differ in loops or accesses, whatever the loops' ends;
 * all of the shorter one where there is none. O(nodes). */
uint32_t plussi_fold_runs_agree(const plussi_fold_run *a, const plussi_fold_run *b);

/* Runs that match the first, those that have the part before the others, with their sizes. */
typedef struct plussi_fold_runs {
    const plussi_fold_run *run[PLUSSI_FOLD_RUNS];
    uint32_t n, n_whole; /* n_whole: that have the part; n where it is empty */
    plussi_fold_part part;
    const plussi_fold_fitter *fitter, *whole; /* of all runs, and of those that have the part */
} plussi_fold_runs;

/* The nest of these runs; the symbols are the sizes of the fitters. Valid; the caller owns it.
 * PLUSS_EUNSUPPORTED: numbers that no polynomial gives; regions that are not left where they are
 * entered. */
PLUSS_NODISCARD pluss_status plussi_fold_build(plussi_ctx *ctx, const plussi_fold_runs *runs,
                                               const char *const *symbol, plussi_nest **out);

/* Executes the nest by one thread and compares it with the trace that run is of, in the order of
 * fold_team.h: object, offset, bytes and kind of each access. Where the trace has more threads, as
 * many execute the nest, and each one's accesses are compared, but for phases with marks of chunks.
 * Extents of arrays that are not those of the run's objects are taken out of the nest.
 * PLUSS_EUNSUPPORTED with the number of the first that differs. */
PLUSS_NODISCARD pluss_status plussi_fold_compare(plussi_ctx *ctx, plussi_nest *nest,
                                                 const plussi_binding *binding, size_t n_bindings,
                                                 const plussi_fold_run *run, const char *path);

/* ---- fold_express.c ---------------------------------------------------------------------------
 */

/* x + y and so on. NULL: no memory, which the nest remembers. */
plussi_expr *plussi_fold_operate(plussi_nest *nest, plussi_expr_kind kind, plussi_expr *x,
                                 plussi_expr *y);
/* The polynomial divided by width, which divides it; symbol: of each size. NULL: 0, or no memory.
 */
plussi_expr *plussi_fold_express(plussi_nest *nest, const plussi_fold_fitter *fitter,
                                 plussi_symbol *const *symbol, const plussi_fold_poly *p,
                                 int64_t width);
/* sum + factor * product; a sum or product that is NULL is 0, or 1. */
plussi_expr *plussi_fold_add_product(plussi_nest *nest, plussi_expr *sum, int64_t factor,
                                     plussi_expr *product);

#endif

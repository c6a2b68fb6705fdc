/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop nest behind traces: each run is folded into a tree of loops (fold_loops.h), the trees of
 * runs of different sizes become one nest with symbols (fold_fit.h), and the nest is executed and
 * compared with all runs, access by access, before it is given.
 */
#ifndef PLUSSI_TRACE_FOLD_H
#define PLUSSI_TRACE_FOLD_H

#include "base/ask.h"
#include "nest/nest.h"

/* Traces, each with the value of every symbol. */
typedef struct plussi_fold_request {
    const char *const *trace; /* paths; files that can be read twice */
    size_t n_traces;
    const char *const *symbol;
    size_t n_symbols;
    const int64_t *value; /* value[trace * n_symbols + symbol] >= 0 */
    plussi_ask ask;
} plussi_fold_request;

/* Without symbols there is one trace, and the nest has its addresses. With symbols there are 3 to
 * PLUSSI_FOLD_RUNS + 1, of which the last is held back from the fit, of six and more the last two.
 * Where three and more have several threads, those of one thread come on top of these: they do not
 * tell which loops a team shares, and are compared with the nest alone.
 * Where trees differ in shape, at least three of one shape are fitted, the most frequent first,
 * together with those that lack one part of it; the nest has all runs all the same. In a parallel
 * region every outermost loop without a barrier in it is a worksharing loop: a run of one thread
 * does not tell it from a loop that every thread executes; of several threads the nest has the
 * accesses of each (fold_nest.h).
 *
 * PLUSS_EUNSUPPORTED, with the reason: a trace that does not fold, numbers that no polynomial of
 * the sizes gives, a run that the nest does not repeat. PLUSS_EINVAL: the request; PLUSS_ELIMIT;
 * PLUSS_ECANCELLED; errors of foreign.h and of binding. On success the nest is valid; the caller
 * owns it. O(accesses), fold_run.h. */
PLUSS_NODISCARD pluss_status plussi_fold(plussi_ctx *ctx, const plussi_fold_request *request,
                                         plussi_nest **out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interleavings of accesses that a sampler recorded, by unit-rate Poisson clocks, one a thread,
 * restarted at every barrier; for model/lines.h. Loops that are dispatched on demand are dispatched
 * anew: the thread whose clock comes first to the end of its chunk takes the next one.
 */
#ifndef PLUSSI_MODEL_LINES_MERGE_H
#define PLUSSI_MODEL_LINES_MERGE_H

#include "trace/sampled_trace.h"

typedef struct plussi_lines_merge plussi_lines_merge;

typedef struct plussi_lines_event {
    uint32_t thread, ref;
    uint32_t line; /* its number, below plussi_lines_merge_lines */
    uint64_t phase;
    uint64_t at; /* accesses of the thread in this phase before it */
    double time; /* since the phase began */
    double made; /* accesses before it of all threads that share the cache; expected */
} plussi_lines_event;

/* sampled must outlive it. O(n log n) for n sampled accesses and chunks. */
PLUSS_NODISCARD pluss_status plussi_lines_merge_new(plussi_ctx *ctx,
                                                    const plussi_sampled_trace *sampled,
                                                    plussi_lines_merge **out);
void plussi_lines_merge_free(plussi_lines_merge *merge); /* NULL is allowed */
/* Grows where chunks change hands that have lines of the thread's own. */
uint32_t plussi_lines_merge_lines(const plussi_lines_merge *merge);

/* What the next runs draw from. */
void plussi_lines_merge_seed(plussi_lines_merge *merge, uint64_t seed, uint64_t stream);

/* One interleaving of threads from ... to - 1, on a cache of their own, told access by access until
 * take returns a status that is not PLUSS_OK. Where loops are dispatched the others run too, and
 * are not told. O(n log T). */
typedef pluss_status (*plussi_lines_take)(void *self, const plussi_lines_event *event);
PLUSS_NODISCARD pluss_status plussi_lines_merge_run(plussi_lines_merge *merge, uint32_t from,
                                                    uint32_t to, plussi_lines_take take,
                                                    void *self);

#endif

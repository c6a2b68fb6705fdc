/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interleavings of the accesses that a run recorded, by unit-rate Poisson clocks, one a thread,
 * restarted at every barrier; for model/lines.h. Dynamic loops are dispatched anew: the thread
 * whose clock reaches the end of its chunk first takes the next one.
 */
#ifndef PLUSSI_MODEL_LINES_MERGE_H
#define PLUSSI_MODEL_LINES_MERGE_H

#include "trace/sampled_trace.h"

typedef struct plussi_lines_merge plussi_lines_merge;

typedef struct plussi_lines_event {
    uint32_t thread, ref;
    uint32_t line; /* number of the line, below plussi_lines_merge_lines */
    uint64_t phase;
    uint64_t at; /* position among the thread's accesses in this phase */
    double time; /* since the start of the phase */
    double made; /* expected number of earlier accesses by all threads that share the cache */
} plussi_lines_event;

/* sampled must outlive the result. O(n log n) for n sampled accesses and chunks. */
PLUSS_NODISCARD pluss_status plussi_lines_merge_new(plussi_ctx *ctx,
                                                    const plussi_sampled_trace *sampled,
                                                    plussi_lines_merge **out);
void plussi_lines_merge_free(plussi_lines_merge *merge); /* NULL is allowed */
/* Number of lines. Grows if another thread executes a chunk with private lines. */
uint32_t plussi_lines_merge_lines(const plussi_lines_merge *merge);

/* Sets the seed of the next runs. */
void plussi_lines_merge_seed(plussi_lines_merge *merge, uint64_t seed, uint64_t stream);

/* Makes one interleaving of the threads from ... to - 1, which share a cache, and passes it to take
 * access by access until that returns a status other than PLUSS_OK. If there are dynamic loops the
 * other threads run too, but their accesses are not passed. O(n log T). */
typedef pluss_status (*plussi_lines_take)(void *self, const plussi_lines_event *event);
PLUSS_NODISCARD pluss_status plussi_lines_merge_run(plussi_lines_merge *merge, uint32_t from,
                                                    uint32_t to, plussi_lines_take take,
                                                    void *self);

#endif

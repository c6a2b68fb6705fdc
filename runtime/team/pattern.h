/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dispatch pattern: one realisation of the dispatch of a dynamic loop whose chunks all take the
 * same work, by threads that reach it together. It has no end: a loop of n chunks is its first n
 * chunks, so that one pattern serves loops of all lengths.
 *
 * With constant work each thread requests chunks at the times of its own renewal process, and chunk
 * j goes to request number j. So the simulation can resume at any time: the progress of every
 * thread by then is a Poisson variable. The first chunks are simulated one by one. After them only
 * the first PLUSSI_PATTERN_PERIOD chunks (more for large teams) of every doubling are, and they
 * repeat until the doubling is complete: threads diverge only as the square root of time, so that
 * the process is nearly stationary that long. Memory and time are O(log n) for a loop of n chunks.
 */
#ifndef PLUSSI_TEAM_PATTERN_H
#define PLUSSI_TEAM_PATTERN_H

#include "base/ctx.h"

enum {
    PLUSSI_PATTERN_EXACT = 16384, /* chunks simulated one by one, or 64 for each thread */
    PLUSSI_PATTERN_PERIOD = 4099  /* a prime: no stride of a loop hits the same thread each time */
};

typedef struct plussi_pattern plussi_pattern;

/* work: accesses of a chunk, >= 1; team >= 1. */
PLUSS_NODISCARD pluss_status plussi_pattern_new(plussi_ctx *ctx, uint32_t team, uint64_t work,
                                                uint64_t seed, plussi_pattern **out);
void plussi_pattern_free(plussi_pattern *pattern);

/* Extends it to loops of that many chunks, and each thread's next request after them. The functions
 * below must not ask for more. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_pattern_extend(plussi_pattern *pattern, uint64_t chunks);

/* Chunks that the thread executes among the first `chunks`; one question at a time. */
uint64_t plussi_pattern_count(const plussi_pattern *pattern, uint32_t thread, uint64_t chunks);
/* The thread that executes a chunk. */
uint32_t plussi_pattern_owner(const plussi_pattern *pattern, uint64_t chunk);
/* The number of its chunk j, and the time of its request, which is that of its first access, in
 * accesses. */
uint64_t plussi_pattern_number(const plussi_pattern *pattern, uint32_t thread, uint64_t j);
double plussi_pattern_time(const plussi_pattern *pattern, uint32_t thread, uint64_t j);
/* Number of chunks that it has requested by then, at most `most`, which must be known. */
uint64_t plussi_pattern_dispatched_by(const plussi_pattern *pattern, uint32_t thread, double time,
                                      uint64_t most);

#endif

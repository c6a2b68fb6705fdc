/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Iteration sets of a recorded run: which thread executed which iterations of a worksharing loop,
 * execution by execution.
 */
#ifndef PLUSSI_TEAM_RECORDED_ITERSET_H
#define PLUSSI_TEAM_RECORDED_ITERSET_H

#include "bound/bound.h"
#include "team/iterset.h"

typedef struct plussi_replay plussi_replay;

/* chunks as in bound.h; each thread's in the order in which it executed them. Copied. PLUSS_EINVAL:
 * an empty chunk, or an execution in which an iteration is missing or occurs twice; PLUSS_ELIMIT.
 * O(n log n). */
PLUSS_NODISCARD pluss_status plussi_replay_new(plussi_ctx *ctx, const plussi_chunk *chunk, size_t n,
                                               plussi_replay **out);
void plussi_replay_free(plussi_replay *replay); /* NULL is allowed */

/* Iteration set of a thread in execution number `time` of a loop of n iterations by a team; after
 * the last recorded execution they repeat from the first. If n == 0 it is empty, whatever was
 * recorded. Borrowed from replay. PLUSS_EINVAL if the execution was recorded with another number of
 * iterations, or with a thread that the team lacks; this is not reported. O(log executions + log
 * threads). */
PLUSS_NODISCARD pluss_status plussi_replay_iterset(const plussi_replay *replay, uint32_t loop,
                                                   uint64_t time, uint64_t n, uint32_t team,
                                                   uint32_t thread, plussi_iterset *out);
/* The iteration sets of all threads, copied, with all ends at 0. Errors as of
 * plussi_replay_iterset. */
PLUSS_NODISCARD pluss_status plussi_replay_itersets(const plussi_replay *replay, uint32_t loop,
                                                    uint64_t time, uint64_t n, uint32_t team,
                                                    plussi_itersets *out);

#endif

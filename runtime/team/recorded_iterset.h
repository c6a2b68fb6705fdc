/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Iteration sets as a recorded run had them: who executed which iterations of a worksharing loop,
 * execution by execution.
 */
#ifndef PLUSSI_TEAM_RECORDED_ITERSET_H
#define PLUSSI_TEAM_RECORDED_ITERSET_H

#include "bound/bound.h"
#include "team/iterset.h"

typedef struct plussi_replay plussi_replay;

/* chunks as bound.h has them; each thread's of an execution in the order of their execution, the
 * rest in any order. Copied. PLUSS_EINVAL: an empty chunk; an execution in which an iteration is
 * missing or there twice; PLUSS_ELIMIT. O(n log n). */
PLUSS_NODISCARD pluss_status plussi_replay_new(plussi_ctx *ctx, const plussi_chunk *chunk, size_t n,
                                               plussi_replay **out);
void plussi_replay_free(plussi_replay *replay); /* NULL is allowed */

/* Iteration set of a thread in the time-th execution of a loop of n iterations by a team; past the
 * last recorded execution they begin again from the first; of no iterations (n == 0) nobody has
 * any, whatever was recorded. Borrowed from replay. PLUSS_EINVAL: the execution was recorded with
 * another number of iterations, or with a thread that the team does not have; then nothing is
 * reported. O(log executions + log threads). */
PLUSS_NODISCARD pluss_status plussi_replay_iterset(const plussi_replay *replay, uint32_t loop,
                                                   uint64_t time, uint64_t n, uint32_t team,
                                                   uint32_t thread, plussi_iterset *out);
/* The iteration sets of all threads, copied, with all ends at 0. Fails as plussi_replay_iterset. */
PLUSS_NODISCARD pluss_status plussi_replay_itersets(const plussi_replay *replay, uint32_t loop,
                                                    uint64_t time, uint64_t n, uint32_t team,
                                                    plussi_itersets *out);

#endif

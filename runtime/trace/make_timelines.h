/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes timelines: joins a run's time stamps (trace/timed_run.h) with its nest, so that the number
 * of accesses of every thread is known over time. Iterations are counted in closed form if the nest
 * has one (trace/counted.h).
 *
 * A phase begins when its first thread does: at its BEGIN, or at the GO of the barrier before. Time
 * between the end of a thread's iteration set and the barrier is no progress. A thread without a
 * worksharing loop in a phase (serial code) has no points there.
 */
#ifndef PLUSSI_TRACE_MAKE_TIMELINES_H
#define PLUSSI_TRACE_MAKE_TIMELINES_H

#include "team/timeline.h"
#include "trace/recorded.h"
#include "trace/timed_run.h"

/* The timelines of the block's runs, for the nest that plussi_record_nest makes, bound with its
 * team. PLUSS_ENOTFOUND if there are no stamps of them. PLUSS_EINVALID if the stamps do not fit the
 * nest. PLUSS_EIO, PLUSS_EFORMAT as of plussi_timed_run_read. The caller frees
 * (plussi_timelines_free). */
PLUSS_NODISCARD pluss_status plussi_make_block_timelines(plussi_ctx *ctx,
                                                         plussi_trace_reader *trace,
                                                         const plussi_record *record, size_t block,
                                                         const plussi_nest *const *nests, size_t n,
                                                         plussi_timelines **out);

/* The timeline of the run whose chunks the block has the times of, for its nest bound with these
 * chunks: between the ends of a chunk accesses pass evenly. PLUSS_EINVALID if they do not fit. */
PLUSS_NODISCARD pluss_status plussi_make_chunk_timeline(plussi_ctx *ctx, const plussi_bound *bound,
                                                        const plussi_record_block *block,
                                                        plussi_timelines **out);

/* One timeline of the whole sequence, for the nest of plussi_record_program: the runs one after
 * another in the order of their ends, without those that no nest has. Without chunks. */
PLUSS_NODISCARD pluss_status plussi_make_program_timeline(plussi_ctx *ctx,
                                                          plussi_trace_reader *trace,
                                                          const plussi_record *record,
                                                          const plussi_nest *const *nests, size_t n,
                                                          plussi_timelines **out);

/* Fits a timeline to a nest, phase by phase: after the last phase it repeats from the first, and if
 * a thread's number of accesses in a phase differs from the recorded one, they are spread over the
 * recorded time, with one warning. (Not with dynamic loops, where the number cannot be known.)
 * PLUSS_EINVAL if the teams differ. Unscaled points are shared with `timeline`, which must outlive
 * *out. */
PLUSS_NODISCARD pluss_status plussi_fit_timeline(plussi_ctx *ctx, const plussi_bound *bound,
                                                 const plussi_timeline *timeline,
                                                 plussi_timelines **out);

#endif

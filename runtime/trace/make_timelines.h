/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run's time stamps (trace/timed_run.h) joined with its nest: how many accesses every thread had
 * made when. Iterations are counted in closed form, as far as the nest has one (trace/counted.h).
 *
 * A phase begins when its first thread does: at the BEGIN, or at the GO of the barrier before. The
 * time that a thread spends between the end of its iteration set and the barrier is no progress.
 * Where a thread meets no worksharing loop in a phase (serial code) nothing is known of it.
 */
#ifndef PLUSSI_TRACE_MAKE_TIMELINES_H
#define PLUSSI_TRACE_MAKE_TIMELINES_H

#include "team/timeline.h"
#include "trace/recorded.h"
#include "trace/timed_run.h"

/* The timelines of the block's runs, for the nest that plussi_record_nest makes of it, bound with
 * its team. PLUSS_ENOTFOUND: none is in the stamps. PLUSS_EINVALID: the stamps are not those of
 * this nest. PLUSS_EIO, PLUSS_EFORMAT as plussi_timed_run_read. The caller frees
 * (plussi_timelines_free). */
PLUSS_NODISCARD pluss_status plussi_make_block_timelines(plussi_ctx *ctx,
                                                         plussi_trace_reader *trace,
                                                         const plussi_record *record, size_t block,
                                                         const plussi_nest *const *nests, size_t n,
                                                         plussi_timelines **out);

/* One timeline of the whole sequence, for the nest of plussi_record_program: the runs one after
 * another in the order in which they ended; those that no nest has are left out. Without chunks. */
PLUSS_NODISCARD pluss_status plussi_make_program_timeline(plussi_ctx *ctx,
                                                          plussi_trace_reader *trace,
                                                          const plussi_record *record,
                                                          const plussi_nest *const *nests, size_t n,
                                                          plussi_timelines **out);

/* A timeline made to fit a nest, phase by phase: phases beyond the last begin again with the first,
 * and a thread whose accesses in a phase are not as many as recorded takes the recorded time for
 * them, with one warning. (Not where loops are dispatched on demand, so that it cannot be known.)
 * PLUSS_EINVAL: the recorded teams are not the nest's. Points are shared with `timeline` where
 * nothing is scaled: it must outlive *out. */
PLUSS_NODISCARD pluss_status plussi_fit_timeline(plussi_ctx *ctx, const plussi_bound *bound,
                                                 const plussi_timeline *timeline,
                                                 plussi_timelines **out);

#endif

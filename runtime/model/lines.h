/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lines: the clocks of the model clock (a unit-rate Poisson clock a thread, restarted at every
 * barrier), over the accesses to a sample of the lines that a run recorded. For code whose
 * addresses depend on data, which has no closed form. docs/models.md, "lines", derives it.
 */
#ifndef PLUSSI_MODEL_LINES_H
#define PLUSSI_MODEL_LINES_H

#include "profile/profile.h"
#include "trace/sampled_trace.h"

typedef struct plussi_lines_result {
    plussi_profile profile; /* distances, concurrent */
    double footprint; /* distinct lines, of all caches together; exact if all lines are sampled */
} plussi_lines_result;

/* The curve of caches that `threads_per_cache` threads share (0 ... n-1, n ... 2n-1, ...; 0, or the
 * team size or more: all), over all accesses. missing: private reuse intervals of the references
 * without a sampled access, with their accesses as weights (cold and first touches as cold); NULL:
 * none. If all lines are sampled the curve is exact but for the drawing of the clocks; else its
 * error is about 1/sqrt(sampled lines), and distances below 8 / rate come from the intervals.
 * PLUSS_EEMPTY if there is no access. The caller frees profile. O(n log lines) time, O(n) memory
 * for n sampled accesses. */
PLUSS_NODISCARD pluss_status plussi_lines(plussi_ctx *ctx, const plussi_sampled_trace *sampled,
                                          uint32_t threads_per_cache, const plussi_histo *missing,
                                          uint64_t seed, plussi_lines_result *out);

#endif

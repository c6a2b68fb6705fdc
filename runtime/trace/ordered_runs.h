/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All runs of a recorded program in the order of their ends, and the lines of those that are
 * recorded access by access: a sample of the lines that a hash chooses (base/line_sample.h).
 */
#ifndef PLUSSI_TRACE_ORDERED_RUNS_H
#define PLUSSI_TRACE_ORDERED_RUNS_H

#include "trace/recorded.h"

/* Each run's block is in the record, which has no fewer runs of it, and is recorded the way the run
 * is told; placements are its block's; a piece's run, if it is there, is of the same block, and
 * told in the same way; parallel constructs of a run in pieces ascend; a run has each of its lines
 * once, with different numbers `last`; all hashes are up to the threshold. */
typedef struct plussi_ordered_runs {
    plussi_mem mem;
    plussi_ordered_run *run;
    size_t n;
    plussi_ordered_line *line; /* of all runs in a row */
    size_t n_lines;
    unsigned shift; /* one line in 2^shift is there */
} plussi_ordered_runs;

/* Those of the record's sidecar file. PLUSS_ENOTFOUND: the record has none; PLUSS_EIO,
 * PLUSS_EFORMAT with the byte at fault, PLUSS_ENOMEM. The caller frees. O(lines log lines). */
PLUSS_NODISCARD pluss_status plussi_ordered_runs_read(plussi_ctx *ctx, const plussi_record *record,
                                                      plussi_ordered_runs *out);
void plussi_ordered_runs_free(plussi_ordered_runs *runs); /* leaves it empty */

/* For qsort: lines by their last touches. */
int plussi_ordered_by_last(const void *a, const void *b);

#endif

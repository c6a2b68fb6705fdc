/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curve of all runs of a record in order, each with the cache as the one before left it: of
 * regions that are recorded access by access, or of these and of others that are described.
 */
#ifndef PLUSSI_STUDY_RECORDED_WHOLE_H
#define PLUSSI_STUDY_RECORDED_WHOLE_H

#include "report/result.h"
#include "study/between_runs.h"
#include "trace/recorded.h"

/* Of one team. All zero: nothing was added. */
typedef struct plussi_recorded_whole {
    plussi_profile profile; /* where there are runs: with the identity of the first curve */
    uint64_t runs;
    double accesses;
    /* of how many of them have a long interval or distance: standard errors that go together, as
     * they come from the same followed lines */
    double error;
    plussi_found_lines found; /* of runs that all runs of the program tell of: */
    bool sampled;             /* by a sample of the lines, with errors by distance, by bin: */
    double found_error[PLUSSI_COARSE_BINS];    /* plussi_between_runs.error_at */
    double squared_errors[PLUSSI_COARSE_BINS]; /* sums of the squares of others */
    double found_part;                         /* accesses that the former is of */
    bool missing; /* a region does not tell what its runs found in the cache */
} plussi_recorded_whole;

/* Adds `runs` runs of this block with the curve of one. The lines that a run touches miss at every
 * size in that curve. The part of them that earlier runs had touched hits from the size on that
 * holds what was touched since, as the block tells. PLUSS_ENOMEM. O(steps). */
PLUSS_NODISCARD pluss_status plussi_recorded_whole_add(plussi_ctx *ctx, plussi_recorded_whole *all,
                                                       const plussi_curve *one, uint64_t runs,
                                                       const plussi_record_block *block);
/* The same where all runs of the program tell what those of some blocks found: numbers block[n].
 * Adds those of them that this is known of; of the other runs there is nothing. The lines that all
 * of them touched hit as these tell. PLUSS_ENOMEM. O(steps). */
PLUSS_NODISCARD pluss_status plussi_recorded_whole_add_between(
    plussi_ctx *ctx, plussi_recorded_whole *all, const plussi_curve *one,
    const plussi_record *record, const plussi_between_runs *between, const size_t *block, size_t n);
/* Adds what `part` has, of another team (serial parts). PLUSS_ENOMEM. O(steps). */
PLUSS_NODISCARD pluss_status plussi_recorded_whole_merge(plussi_recorded_whole *all,
                                                         const plussi_recorded_whole *part);
/* Adds its curve to the result. PLUSS_EEMPTY, PLUSS_ENOMEM. O(steps log steps). */
PLUSS_NODISCARD pluss_status plussi_recorded_whole_finish(plussi_ctx *ctx,
                                                          plussi_recorded_whole *all,
                                                          plussi_result *out);
void plussi_recorded_whole_free(plussi_recorded_whole *all);

#endif

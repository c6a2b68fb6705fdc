/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curve of all runs of a record in order, each with the cache as the one before left it, of
 * regions that are recorded access by access.
 */
#ifndef PLUSSI_STUDY_RECORDED_WHOLE_H
#define PLUSSI_STUDY_RECORDED_WHOLE_H

#include "report/result.h"
#include "trace/recorded.h"

/* Of one team. All zero: nothing was added. */
typedef struct plussi_recorded_whole {
    plussi_profile profile; /* where there are runs: with the identity of the first curve */
    uint64_t runs;
    double accesses;
    double error; /* standard error of how many of them have a long interval, from followed lines */
    bool missing; /* a region does not tell what its runs found in the cache */
} plussi_recorded_whole;

/* Adds `runs` runs of this block with the curve of one. The lines that a run touches miss at every
 * size in that curve. The part of them that earlier runs had touched hits from the size on that
 * holds what was touched since, as the block tells. PLUSS_ENOMEM. O(steps). */
PLUSS_NODISCARD pluss_status plussi_recorded_whole_add(plussi_ctx *ctx, plussi_recorded_whole *all,
                                                       const plussi_curve *one, uint64_t runs,
                                                       const plussi_record_block *block);
/* Adds what `part` has, of another team (serial parts). PLUSS_ENOMEM. O(steps). */
PLUSS_NODISCARD pluss_status plussi_recorded_whole_merge(plussi_recorded_whole *all,
                                                         const plussi_recorded_whole *part);
/* Adds its curve to the result. PLUSS_EEMPTY, PLUSS_ENOMEM. O(steps log steps). */
PLUSS_NODISCARD pluss_status plussi_recorded_whole_finish(plussi_ctx *ctx,
                                                          plussi_recorded_whole *all,
                                                          plussi_result *out);
void plussi_recorded_whole_free(plussi_recorded_whole *all);

#endif

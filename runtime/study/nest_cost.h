/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a nest costs on a memory hierarchy: see advise.h.
 */
#ifndef PLUSSI_STUDY_NEST_COST_H
#define PLUSSI_STUDY_NEST_COST_H

#include "study/advise.h"

typedef struct plussi_nest_cost {
    double all, error, accesses;
    size_t n;
    plussi_advice_level level[PLUSSI_LEVELS_MOST]; /* misses[0] and error[0] */
} plussi_nest_cost;

/* Of a miss of level i of n. */
double plussi_level_weight(size_t i, size_t n);
/* Times `by`: as if all threads had as many accesses as the busiest one has. */
void plussi_scale_cost(plussi_nest_cost *cost, double by);
/* Predicts a nest of one region for a team, whatever teams the request has. The caller frees
 * *result, on failure too. *possible: it has levels, and *out is their cost. Fails as
 * plussi_pipeline_predict. */
PLUSS_NODISCARD pluss_status plussi_cost_nest(plussi_ctx *ctx, const plussi_nest *nest,
                                              const plussi_request *request, uint32_t team,
                                              plussi_result *result, plussi_nest_cost *out,
                                              bool *possible);

#endif

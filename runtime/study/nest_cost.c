/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/nest_cost.h"

#include <string.h>

#include "study/balance.h"
#include "study/stage.h"

double plussi_level_weight(size_t i, size_t n)
{
    return i + 1 == n ? 150 : i == 0 ? 10 : 25;
}

/* false: there are no levels. */
static bool count_cost(const plussi_result *result, plussi_nest_cost *out)
{
    *out = (plussi_nest_cost){.n = result->n_levels};
    if (!result->n_levels || result->n_levels > PLUSSI_LEVELS_MOST)
        return false;
    out->accesses = out->all = result->level[0].accesses;
    for (size_t i = 0; i < out->n; i++) {
        const plussi_misses *m = &result->level[i].misses;
        plussi_advice_level *level = &out->level[i];
        const double weight = plussi_level_weight(i, out->n);
        strcpy(level->name, result->level[i].level.name);
        level->misses[0] = m->all;
        level->error[0] = m->error;
        out->all += weight * m->all;
        if (m->error > 0) /* levels see the same samples: their errors add */
            out->error += weight * m->error;
    }
    return true;
}

void plussi_scale_cost(plussi_nest_cost *cost, double by)
{
    cost->all *= by;
    cost->error *= by;
}

pluss_status plussi_cost_nest(plussi_ctx *ctx, const plussi_nest *nest,
                              const plussi_request *request, uint32_t team, plussi_result *result,
                              plussi_nest_cost *out, bool *possible)
{
    plussi_request own, alone = *request;
    double imbalance = 1;
    alone.team = &team;
    alone.n_teams = 1;
    *possible = false;
    plussi_result_init(result, &ctx->mem);
    pluss_status status = plussi_request_for(ctx, nest, &alone, &own);
    if (status)
        return status;
    status = plussi_evaluate_teams(ctx, nest, &own, plussi_pipeline_predict, result);
    if (!status)
        status = plussi_measure_imbalance(ctx, nest, &own, team, &imbalance);
    plussi_free(&ctx->mem, (void *)own.binding);
    *possible = !status && count_cost(result, out);
    if (*possible)
        plussi_scale_cost(out, imbalance);
    return status;
}

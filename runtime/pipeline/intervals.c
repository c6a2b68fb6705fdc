/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private reuse intervals, by walking.
 */
#include "pipeline/stage.h"

pluss_status plussi_pipeline_collect(plussi_ctx *ctx, plussi_prediction *job)
{
    uint32_t team = job->request->collect_team ? job->request->collect_team : job->bound->team;
    if (job->pri->team == team)
        return PLUSS_OK;
    if (job->pri->team)
        plussi_pri_free(job->pri);
    job->pri->team = 0;
    plussi_bound *bound = NULL;
    pluss_status status = plussi_pipeline_bind(ctx, job->nest, job->request, team, &bound);
    plussi_pri pri;
    if (!status)
        status = plussi_pri_walk(ctx, bound, job->request->seed, &pri);
    if (!status)
        *job->pri = pri;
    if (bound)
        plussi_bound_free(bound);
    return status;
}

pluss_status plussi_pipeline_pri(plussi_ctx *ctx, const plussi_nest *nest,
                                 const plussi_request *request, plussi_pri *out)
{
    plussi_bound *bound = NULL;
    pluss_status status = plussi_pipeline_bind(ctx, nest, request, request->team[0], &bound);
    if (!status)
        status = plussi_pri_walk(ctx, bound, request->seed, out);
    if (bound)
        plussi_bound_free(bound);
    return status;
}

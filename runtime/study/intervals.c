/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private reuse intervals, by walking, or those of a recorded run.
 */
#include "sampler/walking.h"
#include "study/stage.h"

static const plussi_record_block *recorded(const plussi_request *request)
{
    return request->block && !request->filled && plussi_record_has_intervals(request->block)
               ? request->block
               : NULL;
}

static pluss_status check_recorded(plussi_ctx *ctx, const plussi_request *request)
{
    const plussi_record_block *block = recorded(request);
    if (block && request->collect_team && request->collect_team != block->default_team)
        return plussi_fail(ctx, PLUSS_EINVAL, &block->loc,
                           "the private reuse intervals of '%s' are recorded with %u threads",
                           block->region, block->default_team);
    if (block && request->line_bytes != block->line_bytes)
        return plussi_fail(ctx, PLUSS_EINVAL, &block->loc,
                           "the private reuse intervals of '%s' are recorded for lines of %u bytes",
                           block->region, block->line_bytes);
    return PLUSS_OK;
}

pluss_status plussi_pipeline_collect(plussi_ctx *ctx, plussi_prediction *job)
{
    const plussi_record_block *block = recorded(job->request);
    uint32_t team = job->request->collect_team ? job->request->collect_team : job->bound->team;
    bool holds = false;
    pluss_status status =
        plussi_pipeline_has_recorded_schedule(ctx, job->nest, job->request, &holds);
    if (!status && block && !holds)
        plussi_pipeline_warn_of_schedule(ctx, block);
    if (!holds)
        block = NULL;
    if (!status && block)
        status = check_recorded(ctx, job->request);
    if (status)
        return status;
    if (block)
        team = block->default_team;
    const bool threads = job->model->takes & PLUSSI_TAKES_THREADS;
    if (job->pri->team == team && (!threads || block || job->pri->thread))
        return PLUSS_OK;
    if (job->pri->team)
        plussi_pri_free(job->pri);
    job->pri->team = 0;
    plussi_bound *bound = NULL;
    status = plussi_pipeline_bind(ctx, job->nest, job->request, team, &bound);
    plussi_pri pri;
    if (!status && !block)
        status = plussi_check_walk(ctx, bound, job->walk, NULL);
    if (!status)
        status = block ? plussi_record_intervals(ctx, block, bound, &pri)
                 : threads
                     ? plussi_pri_walk_threads(ctx, bound, job->request->seed, job->walk, &pri)
                     : plussi_pri_walk(ctx, bound, job->request->seed, job->walk, &pri);
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
        status = plussi_pri_walk(ctx, bound, request->seed, NULL, out);
    if (bound)
        plussi_bound_free(bound);
    return status;
}

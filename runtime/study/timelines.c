/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded runs: the timelines that stamps tell, and the nest as such a run had it.
 */
#include "study/stage.h"

pluss_status plussi_pipeline_timelines(plussi_ctx *ctx, const plussi_record *record, size_t block,
                                       const plussi_nest *const *nests, size_t n,
                                       plussi_timelines **out)
{
    plussi_trace_reader *trace = NULL;
    pluss_status status = plussi_record_trace(ctx, record, &trace);
    if (!status)
        status = block == SIZE_MAX
                     ? plussi_make_program_timeline(ctx, trace, record, nests, n, out)
                     : plussi_make_block_timelines(ctx, trace, record, block, nests, n, out);
    plussi_trace_close(trace);
    return status;
}

pluss_status plussi_pipeline_chunk_timelines(plussi_ctx *ctx, const plussi_nest *nest,
                                             const plussi_request *request, uint32_t team,
                                             const plussi_record_block *block,
                                             plussi_timelines **out)
{
    plussi_request as = *request;
    plussi_bound *bound = NULL;
    as.schedule = PLUSSI_SCHED_NONE;
    as.recorded = block->chunk;
    as.n_recorded = block->n_chunks;
    pluss_status status = plussi_pipeline_bind(ctx, nest, &as, team, &bound);
    if (!status)
        status = plussi_make_chunk_timeline(ctx, bound, block, out);
    if (bound)
        plussi_bound_free(bound);
    return status;
}

void plussi_pipeline_as_run(const plussi_request *request, size_t i, plussi_request *out)
{
    *out = *request;
    const plussi_timeline *timeline = &request->progress.timelines->run[i];
    if (request->schedule != PLUSSI_SCHED_NONE || request->n_recorded)
        return;
    out->recorded = timeline->chunk;
    out->n_recorded = timeline->n_chunks;
}

pluss_status plussi_pipeline_fit(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_request *request, plussi_fitted *out)
{
    const plussi_timelines *timelines = request->progress.timelines;
    size_t n = timelines->run[0].n_chunks ? 1 : timelines->n;
    *out = (plussi_fitted){.each = plussi_calloc(&ctx->mem, n, sizeof *out->each),
                           .all.run = plussi_calloc(&ctx->mem, n, sizeof *out->all.run)};
    pluss_status status = out->each && out->all.run ? PLUSS_OK : PLUSS_ENOMEM;
    for (; out->n < n && !status; out->n += !status) {
        status = plussi_fit_timeline(ctx, bound, &timelines->run[out->n], &out->each[out->n]);
        if (!status)
            out->all.run[out->all.n++] = out->each[out->n]->run[0];
    }
    return status;
}

void plussi_pipeline_unfit(plussi_ctx *ctx, plussi_fitted *fitted)
{
    for (size_t i = 0; i < fitted->n; i++)
        plussi_timelines_free(fitted->each[i]);
    plussi_free(&ctx->mem, fitted->each);
    plussi_free(&ctx->mem, fitted->all.run);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model lines: from the sampled trace of a record to the curve.
 */
#include <math.h>

#include "model/lines.h"
#include "study/stage.h"
#include "trace/sampled_trace.h"

/* The private reuse intervals of references that no kept access is of, as intervals among the
 * accesses of so many threads. */
static pluss_status missing_intervals(const plussi_record_block *block,
                                      const plussi_sampled_trace *sampled, uint32_t crew,
                                      plussi_histo *out)
{
    pluss_status status = PLUSS_OK;
    bool *there = plussi_calloc(&out->mem, sampled->n_refs, sizeof *there);
    if (!there)
        return PLUSS_ENOMEM;
    for (uint32_t k = 0; k < sampled->team; k++)
        for (size_t i = 0; i < sampled->thread[k].n; i++)
            there[sampled->thread[k].access[i].ref] = true;
    for (size_t i = 0; i < block->n_pri && !status; i++) {
        const plussi_record_pri *pri = &block->pri[i];
        if (pri->ref >= sampled->n_refs || there[pri->ref])
            continue;
        out->cold += (double)pri->first / (double)block->runs;
        for (size_t b = 0; b < pri->n_intervals && !status; b++) {
            uint64_t key = pri->interval[b].key, most = UINT64_MAX / 2 / crew;
            status = plussi_histo_add(out, (key < most ? key : most) * crew,
                                      (double)pri->interval[b].count / (double)block->runs);
        }
    }
    plussi_free(&out->mem, there);
    return status;
}

pluss_status plussi_pipeline_lines(plussi_ctx *ctx, plussi_prediction *job, plussi_profile *profile,
                                   plussi_curve *out)
{
    const plussi_record_block *block = job->request->block;
    const plussi_record *record = job->request->record;
    if (!block || !block->lines || !record || !record->path)
        return plussi_fail(ctx, PLUSS_EUNSUPPORTED, block ? &block->loc : NULL,
                           "the model lines needs a record of a sampler (mode=sample) that kept "
                           "the order of accesses: PLUSS_SAMPLE_LINES=all");
    bool holds = false;
    pluss_status status = plussi_pipeline_as_recorded(ctx, job->nest, job->request, &holds);
    if (status)
        return status;
    if (!holds)
        return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &block->loc,
                           "the order of accesses of '%s' is recorded with another schedule",
                           block->region);
    if (job->bound->team != block->team)
        return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &block->loc,
                           "the order of accesses is recorded with %u threads, not with %u",
                           block->team, job->bound->team);
    plussi_sampled_trace sampled;
    plussi_histo missing;
    plussi_histo_init(&missing, &ctx->mem);
    plussi_trace_reader *trace = NULL;
    status = plussi_record_trace(ctx, record, &trace);
    if (!status)
        status =
            plussi_sampled_trace_read(trace, (uint32_t)(block - record->block), block, &sampled);
    plussi_trace_close(trace);
    if (status)
        return status;
    uint32_t crew = job->sharers ? job->sharers : block->team;
    plussi_lines_result result;
    status = missing_intervals(block, &sampled, crew, &missing);
    if (!status)
        status = plussi_lines(ctx, &sampled, job->sharers, &missing, job->request->seed, &result);
    if (!status) {
        out->footprint_lines = (uint64_t)llround(result.footprint);
        *profile = result.profile;
        status = plussi_pipeline_curve(ctx, profile, &out->mrc);
        out->mrc.accesses = round(out->mrc.accesses);
    }
    plussi_histo_free(&missing);
    plussi_sampled_trace_free(&sampled);
    return status;
}

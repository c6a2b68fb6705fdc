/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sampled trace of a recorded block, for models that take one.
 */
#include <math.h>

#include "study/stage.h"
#include "trace/sampled_trace.h"

/* The private reuse intervals of references that no kept access is of, as intervals among the
 * accesses of that many threads. */
static pluss_status missing_intervals(const plussi_record_block *block,
                                      const plussi_sampled_trace *sampled, uint32_t threads,
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
            uint64_t key = pri->interval[b].key, most = UINT64_MAX / 2 / threads;
            status = plussi_histo_add(out, (key < most ? key : most) * threads,
                                      (double)pri->interval[b].count / (double)block->runs);
        }
    }
    plussi_free(&out->mem, there);
    return status;
}

/* Has it an order of accesses that is empty? */
static bool is_idle(const plussi_record_block *block)
{
    uint64_t accesses = block->lost;
    for (size_t k = 0; k < block->n_threads; k++)
        accesses += block->thread[k].accesses + block->thread[k].lost;
    return block->by == PLUSSI_RECORDED_SAMPLE && accesses == 0;
}

static pluss_status check(plussi_ctx *ctx, const plussi_prediction *job)
{
    const plussi_record_block *block = job->request->block;
    if (block && is_idle(block))
        return plussi_fail(ctx, PLUSS_EEMPTY, &block->loc, "%s", plussi_pipeline_no_accesses);
    if (!block || !block->lines || !job->request->record || !job->request->record->path)
        return plussi_fail(ctx, PLUSS_EUNSUPPORTED, block ? &block->loc : NULL,
                           "the model %s needs a record of a sampler (mode=sample) that kept the "
                           "order of accesses: PLUSS_SAMPLE_LINES=all",
                           job->model->name);
    bool holds = false;
    pluss_status status =
        plussi_pipeline_has_recorded_schedule(ctx, job->nest, job->request, &holds);
    if (!status && !holds)
        status = plussi_fail(ctx, PLUSS_EUNSUPPORTED, &block->loc,
                             "the order of accesses of '%s' is recorded with another schedule",
                             block->region);
    if (!status && job->bound->team != block->default_team)
        status = plussi_fail(ctx, PLUSS_EUNSUPPORTED, &block->loc,
                             "the order of accesses is recorded with %u threads, not with %u",
                             block->default_team, job->bound->team);
    return status;
}

pluss_status plussi_pipeline_sampled(plussi_ctx *ctx, const plussi_prediction *job,
                                     plussi_sampled_trace *out, plussi_histo *untraced)
{
    const plussi_record_block *block = job->request->block;
    plussi_trace_reader *trace = NULL;
    pluss_status status = check(ctx, job);
    if (!status)
        status = plussi_record_trace(ctx, job->request->record, &trace);
    if (!status)
        status = plussi_sampled_trace_read(trace, (uint32_t)(block - job->request->record->block),
                                           block, out);
    plussi_trace_close(trace);
    if (status)
        return status;
    uint32_t threads = job->threads_per_cache ? job->threads_per_cache : block->team;
    plussi_histo_init(untraced, &ctx->mem);
    status = missing_intervals(block, out, threads, untraced);
    if (status) {
        plussi_histo_free(untraced);
        plussi_sampled_trace_free(out);
    }
    return status;
}

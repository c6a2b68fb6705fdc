/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model lines: from the file beside the record to the curve.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/lines.h"
#include "study/stage.h"
#include "trace/picks_file.h"

/* The private reuse intervals of references that no kept access is of, as intervals among the
 * accesses of so many threads. */
static pluss_status missing_intervals(const plussi_record_block *block, const plussi_picked *picked,
                                      uint32_t crew, plussi_histo *out)
{
    pluss_status status = PLUSS_OK;
    bool *there = plussi_calloc(&out->mem, picked->n_refs, sizeof *there);
    if (!there)
        return PLUSS_ENOMEM;
    for (uint32_t k = 0; k < picked->team; k++)
        for (size_t i = 0; i < picked->thread[k].n; i++)
            there[picked->thread[k].access[i].ref] = true;
    for (size_t i = 0; i < block->n_pri && !status; i++) {
        const plussi_record_pri *pri = &block->pri[i];
        if (pri->ref >= picked->n_refs || there[pri->ref])
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
    plussi_picked picked;
    plussi_histo missing;
    plussi_histo_init(&missing, &ctx->mem);
    char *path = plussi_alloc(&ctx->mem, strlen(record->path) + sizeof ".lines", 1);
    if (!path)
        return PLUSS_ENOMEM;
    sprintf(path, "%s.lines", record->path);
    status = plussi_picks_read(ctx, path, (uint32_t)(block - record->block), block, &picked);
    plussi_free(&ctx->mem, path);
    if (status)
        return status;
    uint32_t crew = job->sharers ? job->sharers : block->team;
    plussi_lines_result result;
    status = missing_intervals(block, &picked, crew, &missing);
    if (!status)
        status = plussi_lines(ctx, &picked, job->sharers, &missing, job->request->seed, &result);
    if (!status) {
        out->footprint_lines = (uint64_t)llround(result.footprint);
        *profile = result.profile;
        status = plussi_pipeline_curve(ctx, profile, &out->mrc);
        out->mrc.accesses = round(out->mrc.accesses);
    }
    plussi_histo_free(&missing);
    plussi_picked_free(&picked);
    return status;
}

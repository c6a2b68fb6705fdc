/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/recorded_whole.h"

#include <math.h>

static pluss_status begin(plussi_ctx *ctx, plussi_recorded_whole *all, const plussi_identity *like)
{
    plussi_identity id = *like;
    id.region = (char *)"all runs";
    id.file = NULL;
    id.line = 0;
    id.n_values = 0;
    pluss_status status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE,
                                              PLUSSI_SCOPE_CONCURRENT, 0, &all->profile);
    return status ? status : plussi_identity_copy(&ctx->mem, &id, &all->profile.id);
}

/* Turns first touches in the run into reuses of what earlier runs left. */
static pluss_status carry(plussi_histo *distance, const plussi_record_block *block)
{
    const double cold = distance->cold;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < block->n_carried && !status; i++) {
        const double part = cold * (double)block->carried[i].count / (double)block->touched;
        status = plussi_histo_add(distance, block->carried[i].key, part);
        distance->cold = fmax(distance->cold - part, 0);
    }
    return status;
}

/* Of that, in accesses of one run. */
static double carried_error(const plussi_histo *distance, const plussi_record_block *block)
{
    const double error = (double)block->carried_error;
    return block->touched ? distance->cold * fmin(error / (double)block->touched, 1) : 0;
}

pluss_status plussi_recorded_whole_add(plussi_ctx *ctx, plussi_recorded_whole *all,
                                       const plussi_curve *one, uint64_t runs,
                                       const plussi_record_block *block)
{
    plussi_histo distance;
    pluss_status status = all->runs ? PLUSS_OK : begin(ctx, all, &one->id);
    if (status)
        return status;
    all->runs += runs;
    all->accesses += one->mrc.accesses * (double)runs;
    all->missing = all->missing || !block->carries;
    plussi_histo_init(&distance, &ctx->mem);
    status = plussi_mrc_distances(&one->mrc, &distance);
    if (!status) {
        /* of the same lines in all blocks: errors add up */
        all->error += (double)block->passed_error / (double)block->runs * (double)runs +
                      carried_error(&distance, block) * (double)runs;
        status = carry(&distance, block);
    }
    if (!status)
        status = plussi_histo_merge(&all->profile.histo, &distance, (double)runs);
    plussi_histo_free(&distance);
    return status;
}

pluss_status plussi_recorded_whole_merge(plussi_recorded_whole *all,
                                         const plussi_recorded_whole *part)
{
    if (!part->runs)
        return PLUSS_OK;
    all->runs += part->runs;
    all->accesses += part->accesses;
    all->error += part->error;
    all->missing = all->missing || part->missing;
    return plussi_histo_merge(&all->profile.histo, &part->profile.histo, 1);
}

pluss_status plussi_recorded_whole_finish(plussi_ctx *ctx, plussi_recorded_whole *all,
                                          plussi_result *out)
{
    all->profile.footprint_lines = (uint64_t)llround(all->profile.histo.cold);
    pluss_status status = plussi_result_add_curve_of(ctx, out, &all->profile);
    if (status || !(all->error > 0))
        return status;
    return plussi_curve_set_error(&out->mem, &out->curve[out->n - 1],
                                  fmin(all->error / all->accesses, 1));
}

void plussi_recorded_whole_free(plussi_recorded_whole *all)
{
    if (all->runs)
        plussi_profile_free(&all->profile);
    *all = (plussi_recorded_whole){0};
}

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
    plussi_histo_init(&all->found.distance, &ctx->mem);
    return status ? status : plussi_identity_copy(&ctx->mem, &id, &all->profile.id);
}

/* Turns a part of the first touches in a run into reuses of what earlier runs left. */
static pluss_status carry_part(plussi_histo *distance, uint64_t key, double part)
{
    pluss_status status = plussi_histo_add(distance, key, part);
    distance->cold = fmax(distance->cold - part, 0);
    return status;
}

static pluss_status carry(plussi_histo *distance, const plussi_record_block *block)
{
    const double cold = distance->cold;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < block->n_carried && !status; i++)
        status = carry_part(distance, block->carried[i].key,
                            cold * (double)block->carried[i].count / (double)block->touched);
    return status;
}

/* Of that, in accesses of one run. */
static double carried_error(const plussi_histo *distance, const plussi_record_block *block)
{
    const double error = (double)block->carried_error;
    return block->touched ? distance->cold * fmin(error / (double)block->touched, 1) : 0;
}

/* Begins with the curve, if it is the first one, and counts its runs. */
static pluss_status count_runs(plussi_ctx *ctx, plussi_recorded_whole *all, const plussi_curve *one,
                               uint64_t runs)
{
    pluss_status status = all->runs ? PLUSS_OK : begin(ctx, all, &one->id);
    if (status)
        return status;
    all->runs += runs;
    all->accesses += one->mrc.accesses * (double)runs;
    return PLUSS_OK;
}

pluss_status plussi_recorded_whole_add(plussi_ctx *ctx, plussi_recorded_whole *all,
                                       const plussi_curve *one, uint64_t runs,
                                       const plussi_record_block *block)
{
    plussi_histo distance;
    pluss_status status = count_runs(ctx, all, one, runs);
    if (status)
        return status;
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

/* Adds what others found. */
static pluss_status add_found(plussi_found_lines *to, const plussi_found_lines *from)
{
    to->runs += from->runs;
    to->touched += from->touched;
    return from->runs ? plussi_histo_merge(&to->distance, &from->distance, 1) : PLUSS_OK;
}

/* Standard error of how many accesses of these runs miss that the curve of one has itself. */
static double own_error(const plussi_curve *one, double runs)
{
    double error = 0;
    for (size_t i = 0; i < one->n_error; i++)
        error = fmax(error, one->error[i]);
    return error * one->mrc.accesses * runs;
}

pluss_status plussi_recorded_whole_add_between(plussi_ctx *ctx, plussi_recorded_whole *all,
                                               const plussi_curve *one, const plussi_record *record,
                                               const plussi_between_runs *between,
                                               const size_t *block, size_t n)
{
    uint64_t runs = 0;
    for (size_t i = 0; i < n; i++)
        runs += between->block[block[i]].runs;
    if (!runs)
        return PLUSS_OK;
    pluss_status status = count_runs(ctx, all, one, runs);
    if (status)
        return status;
    plussi_histo distance;
    plussi_histo_init(&distance, &ctx->mem);
    all->found_error = between->error;
    for (size_t i = 0; i < n && !status; i++) {
        all->error += (double)record->block[block[i]].passed_error;
        status = add_found(&all->found, &between->block[block[i]]);
    }
    if (record->block[*block].by != PLUSSI_RECORDED_PROFILE) {
        const double error = own_error(one, (double)runs);
        all->squared_errors += error * error;
    }
    if (!status)
        status = plussi_mrc_distances(&one->mrc, &distance);
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
    all->squared_errors += part->squared_errors;
    all->missing = all->missing || part->missing;
    pluss_status status = add_found(&all->found, &part->found);
    return status ? status : plussi_histo_merge(&all->profile.histo, &part->profile.histo, 1);
}

/* Of all first touches in runs, the part that earlier ones left lines for. */
static pluss_status carry_found(plussi_recorded_whole *all)
{
    const plussi_found_lines *found = &all->found;
    const double cold = all->profile.histo.cold;
    plussi_bin *bin = NULL;
    size_t n = 0;
    if (!(found->touched > 0))
        return PLUSS_OK;
    all->error += cold * all->found_error;
    pluss_status status = plussi_histo_sorted(&found->distance, &bin, &n);
    for (size_t i = 0; i < n && !status; i++)
        status = carry_part(&all->profile.histo, bin[i].key, cold * bin[i].weight / found->touched);
    plussi_free(&found->distance.mem, bin);
    return status;
}

pluss_status plussi_recorded_whole_finish(plussi_ctx *ctx, plussi_recorded_whole *all,
                                          plussi_result *out)
{
    pluss_status status = carry_found(all);
    const double error = sqrt(all->error * all->error + all->squared_errors);
    all->profile.footprint_lines = (uint64_t)llround(all->profile.histo.cold);
    if (all->found.touched > 0)
        all->profile.footprint_lines = (uint64_t)llround(all->found.distance.cold);
    if (!status)
        status = plussi_result_add_curve_of(ctx, out, &all->profile);
    if (status || !(error > 0))
        return status;
    return plussi_curve_set_error(&out->mem, &out->curve[out->n - 1],
                                  fmin(error / all->accesses, 1));
}

void plussi_recorded_whole_free(plussi_recorded_whole *all)
{
    if (all->runs) {
        plussi_profile_free(&all->profile);
        plussi_histo_free(&all->found.distance);
    }
    *all = (plussi_recorded_whole){0};
}

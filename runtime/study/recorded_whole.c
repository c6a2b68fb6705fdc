/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/recorded_whole.h"

#include <math.h>
#include <string.h>

#include "base/bisect.h"

static pluss_status begin(plussi_ctx *ctx, plussi_recorded_whole *all, const plussi_identity *like)
{
    plussi_identity id = *like;
    id.region = (char *)"all runs";
    id.file = NULL;
    id.line = 0;
    id.n_values = 0;
    pluss_status status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE,
                                              PLUSSI_SCOPE_CONCURRENT, 0, &all->profile);
    plussi_found_lines_init(&all->found, &ctx->mem);
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

/* The least size of which accesses with a distance in the bin miss. */
static double size_of_bin(uint32_t bin)
{
    unsigned shift;
    return (double)plussi_bin_least(bin, PLUSSI_COARSE_BITS, &shift);
}

/* Standard errors of how many accesses of these runs miss that the curve of one has itself. */
static void add_own_errors(plussi_recorded_whole *all, const plussi_curve *one, double runs)
{
    for (uint32_t bin = 0; bin < PLUSSI_NEVER_BIN && one->n_error; bin++)
        all->squared_errors[bin] +=
            pow(plussi_curve_error_at(one, size_of_bin(bin)) * one->mrc.accesses * runs, 2);
}

static void take_found_errors(plussi_recorded_whole *all, const double error[PLUSSI_COARSE_BINS])
{
    all->sampled = true;
    memcpy(all->found_error, error, sizeof all->found_error);
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
    if (between->error > 0)
        take_found_errors(all, between->error_at);
    for (size_t i = 0; i < n && !status; i++) {
        all->error += (double)record->block[block[i]].passed_error;
        status = plussi_found_lines_add(&all->found, &between->block[block[i]]);
    }
    if (record->block[*block].by != PLUSSI_RECORDED_PROFILE)
        add_own_errors(all, one, (double)runs);
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
    all->found_part += part->found_part;
    if (part->sampled)
        take_found_errors(all, part->found_error);
    for (uint32_t bin = 0; bin < PLUSSI_COARSE_BINS; bin++)
        all->squared_errors[bin] += part->squared_errors[bin];
    all->missing = all->missing || part->missing;
    pluss_status status = plussi_found_lines_add(&all->found, &part->found);
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
    all->found_part += cold;
    pluss_status status = plussi_histo_sorted(&found->distance, &bin, &n);
    for (size_t i = 0; i < n && !status; i++)
        status = carry_part(&all->profile.histo, bin[i].key, cold * bin[i].weight / found->touched);
    plussi_free(&found->distance.mem, bin);
    return status;
}

/* Bins by ascending key, of which weight is taken at descending keys. */
typedef struct taking {
    plussi_bin *bin;
    size_t n, low; /* bins from `low` up to the last key have no weight left */
    double taken;
} taking;

/* From the greatest keys up to this one that have some left, then from the least above it. */
static void take_weight(taking *t, uint64_t key, double weight)
{
    PLUSSI_BISECT(size_t, above, 0, t->n, t->bin[above].key > key);
    t->low = above < t->low ? above : t->low;
    while (weight > 0 && (t->low > 0 || above < t->n)) {
        plussi_bin *from = t->low > 0 ? &t->bin[t->low - 1] : &t->bin[above++];
        const double taken = fmin(from->weight, weight);
        from->weight -= taken;
        weight -= taken;
        t->taken += taken;
        t->low -= t->low > 0 && !(from->weight > 0);
    }
}

static pluss_status take_own(const plussi_histo *own, taking *t)
{
    plussi_bin *bin = NULL;
    size_t n = 0;
    pluss_status status = plussi_histo_sorted(own, &bin, &n);
    for (size_t i = n; i-- > 0 && !status;)
        take_weight(t, bin[i].key, bin[i].weight);
    plussi_free(&own->mem, bin);
    return status;
}

/* What runs with others inside touch after one of these is farther back than it is in the curves of
 * such runs alone. */
static pluss_status move_back(plussi_recorded_whole *all)
{
    const plussi_found_lines *found = &all->found;
    const plussi_mem mem = all->profile.histo.mem;
    const double moved = plussi_histo_total(&found->own);
    plussi_histo left;
    taking t = {0};
    if (!(moved > 0))
        return PLUSS_OK;
    plussi_histo_init(&left, &mem);
    pluss_status status = plussi_histo_sorted(&all->profile.histo, &t.bin, &t.n);
    t.low = t.n;
    if (!status)
        status = take_own(&found->own, &t);
    left.cold = all->profile.histo.cold;
    for (size_t i = 0; i < t.n && !status; i++)
        status = plussi_histo_add(&left, t.bin[i].key, t.bin[i].weight);
    if (!status)
        status = plussi_histo_merge(&left, &found->real, t.taken / moved);
    plussi_free(&mem, t.bin);
    if (status) {
        plussi_histo_free(&left);
        return status;
    }
    all->found_part += t.taken;
    plussi_histo_free(&all->profile.histo);
    all->profile.histo = left;
    return PLUSS_OK;
}

/* The standard errors by size, as far as there are lines. */
static pluss_status set_errors(const plussi_mem *mem, const plussi_recorded_whole *all,
                               plussi_curve *curve)
{
    double size[PLUSSI_NEVER_BIN], error[PLUSSI_NEVER_BIN], largest = 0;
    size_t n = 0;
    bool same = true;
    for (uint32_t bin = 1; bin < PLUSSI_NEVER_BIN; bin++) {
        size[n] = size_of_bin(bin);
        if (n && size[n] > (double)curve->footprint_lines)
            break;
        error[n] = fmin(hypot(all->error + all->found_part * all->found_error[bin],
                              sqrt(all->squared_errors[bin])) /
                            all->accesses,
                        1);
        same = same && error[n] == error[0];
        largest = fmax(largest, error[n++]);
    }
    return largest > 0 ? plussi_curve_set_errors(mem, curve, size, error, same ? 1 : n) : PLUSS_OK;
}

pluss_status plussi_recorded_whole_finish(plussi_ctx *ctx, plussi_recorded_whole *all,
                                          plussi_result *out)
{
    pluss_status status = move_back(all);
    if (!status)
        status = carry_found(all);
    all->profile.footprint_lines = (uint64_t)llround(all->profile.histo.cold);
    if (all->found.touched > 0)
        all->profile.footprint_lines = (uint64_t)llround(all->found.distance.cold);
    if (!status)
        status = plussi_result_add_curve_of(ctx, out, &all->profile);
    if (status)
        return status;
    plussi_curve *curve = &out->curve[out->n - 1];
    curve->footprint_error =
        (uint64_t)ceil(all->found.touched * all->found_error[PLUSSI_NEVER_BIN]);
    return set_errors(&out->mem, all, curve);
}

void plussi_recorded_whole_free(plussi_recorded_whole *all)
{
    if (all->runs) {
        plussi_profile_free(&all->profile);
        plussi_found_lines_free(&all->found);
    }
    *all = (plussi_recorded_whole){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/curve.h"

#include <math.h>

/* miss[i + 1], the weight of the i-th of n ascending keys, becomes that of the accesses whose key
 * is above it, miss[0] that of all accesses. */
static void tail_weights(const plussi_histo *h, size_t n, double *miss)
{
    double level = plussi_histo_keyless(h);
    for (size_t i = n; i > 0; i--) {
        const double weight = miss[i];
        miss[i] = level;
        level += weight;
    }
    miss[0] = level;
}

/* The histogram's bins in order, and a curve whose levels are the weights above each of them. */
static pluss_status begin_curve(plussi_ctx *ctx, const plussi_histo *h, plussi_bin **bin, size_t *n,
                                plussi_mrc *out)
{
    if (!(plussi_histo_total(h) > 0))
        return plussi_fail(ctx, PLUSS_EEMPTY, NULL, "no curve without accesses");
    pluss_status status = plussi_histo_sorted(h, bin, n);
    if (status != PLUSS_OK)
        return status;
    status = plussi_curve_alloc(&ctx->mem, *n + 1, out);
    if (status != PLUSS_OK) {
        plussi_free(&h->mem, *bin);
        return status;
    }
    for (size_t i = 0; i < *n; i++)
        out->miss[i + 1] = (*bin)[i].weight;
    tail_weights(h, *n, out->miss);
    out->size[0] = 0;
    out->accesses = out->miss[0];
    return PLUSS_OK;
}

/* Where half of the keys up to the greatest have a bin, or more: by key in the curve's own arrays,
 * without a list of the bins, which would need as much memory again. */
static pluss_status from_dense(plussi_ctx *ctx, const plussi_histo *rd, uint64_t greatest,
                               plussi_mrc *out)
{
    plussi_mrc curve;
    size_t n = 0;
    pluss_status status = plussi_curve_alloc(&ctx->mem, greatest + 2, &curve);
    if (status != PLUSS_OK)
        return status;
    for (uint64_t key = 0; key <= greatest; key++)
        curve.miss[key + 1] = 0;
    plussi_histo_spread(rd, curve.miss + 1);
    curve.size[0] = 0;
    for (uint64_t key = 0; key <= greatest; key++)
        if (curve.miss[key + 1] != 0) {
            curve.size[++n] = (double)key + 1;
            curve.miss[n] = curve.miss[key + 1];
        }
    tail_weights(rd, n, curve.miss);
    curve.accesses = curve.miss[0];
    plussi_curve_finish(&curve, n + 1);
    *out = curve;
    return PLUSS_OK;
}

pluss_status plussi_mrc_from_rd(plussi_ctx *ctx, const plussi_histo *rd, plussi_mrc *out)
{
    const uint64_t greatest = plussi_histo_greatest(rd);
    if (greatest / 2 < rd->n && plussi_histo_total(rd) > 0)
        return from_dense(ctx, rd, greatest, out);
    plussi_bin *bin;
    size_t n;
    plussi_mrc curve;
    pluss_status status = begin_curve(ctx, rd, &bin, &n, &curve);
    if (status != PLUSS_OK)
        return status;
    /* Distance d needs d + 1 lines. */
    for (size_t i = 1; i <= n; i++)
        curve.size[i] = (double)bin[i - 1].key + 1;
    plussi_free(&rd->mem, bin);
    plussi_curve_finish(&curve, n + 1);
    *out = curve;
    return PLUSS_OK;
}

pluss_status plussi_mrc_distances(const plussi_mrc *mrc, plussi_histo *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 1; i < mrc->n && !status; i++)
        status = plussi_histo_add(out, (uint64_t)ceil(mrc->size[i]) - 1,
                                  fmax(mrc->miss[i - 1] - mrc->miss[i], 0) * mrc->accesses);
    out->cold += mrc->miss[mrc->n - 1] * mrc->accesses;
    return status;
}

pluss_status plussi_mrc_from_ri(plussi_ctx *ctx, const plussi_histo *ri, plussi_mrc *out)
{
    if (plussi_histo_get(ri, 0) != 0)
        return plussi_fail(ctx, PLUSS_EINVALID, NULL, "a reuse interval of 0");
    plussi_bin *bin;
    size_t n;
    plussi_mrc curve;
    pluss_status status = begin_curve(ctx, ri, &bin, &n, &curve);
    if (status != PLUSS_OK)
        return status;
    /* P is constant between keys, so F gains (k' - k) P(> k) from key k to the next, k'. */
    uint64_t last = 0;
    for (size_t i = 1; i <= n; i++) {
        double above = curve.miss[i - 1] / curve.accesses;
        curve.size[i] = curve.size[i - 1] + (double)(bin[i - 1].key - last) * above;
        last = bin[i - 1].key;
    }
    plussi_free(&ri->mem, bin);
    plussi_curve_finish(&curve, n + 1);
    *out = curve;
    return PLUSS_OK;
}

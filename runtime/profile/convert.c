/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/curve.h"

#include <math.h>

/* miss[i + 1]: weight of the accesses whose key is above bin[i].key; miss[0]: weight of all
 * accesses. */
static void tail_weights(const plussi_histo *h, const plussi_bin *bin, size_t n, double *miss)
{
    double level = plussi_histo_keyless(h);
    for (size_t i = n; i > 0; i--) {
        miss[i] = level;
        level += bin[i - 1].weight;
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
    tail_weights(h, *bin, *n, out->miss);
    out->size[0] = 0;
    out->accesses = out->miss[0];
    return PLUSS_OK;
}

pluss_status plussi_mrc_from_rd(plussi_ctx *ctx, const plussi_histo *rd, plussi_mrc *out)
{
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/curve.h"

#include <string.h>

void plussi_mrc_free(plussi_mrc *mrc)
{
    plussi_free(&mrc->mem, mrc->size);
    plussi_free(&mrc->mem, mrc->miss);
    *mrc = (plussi_mrc){.mem = mrc->mem};
}

pluss_status plussi_curve_alloc(const plussi_mem *mem, size_t n, plussi_mrc *out)
{
    plussi_mrc curve = {.mem = *mem};
    curve.size = plussi_alloc(mem, n, sizeof *curve.size);
    curve.miss = plussi_alloc(mem, n, sizeof *curve.miss);
    if (!curve.size || !curve.miss) {
        plussi_mrc_free(&curve);
        return PLUSS_ENOMEM;
    }
    *out = curve;
    return PLUSS_OK;
}

void plussi_curve_finish(plussi_mrc *curve, size_t n)
{
    size_t kept = 0;
    double all = curve->miss[0];
    for (size_t i = 0; i < n; i++) {
        double size = curve->size[i], miss = curve->miss[i] / all;
        if (kept > 1 && size <= curve->size[kept - 1])
            kept--; /* the step before it has no width */
        if (kept > 0 && miss >= curve->miss[kept - 1])
            continue;
        curve->size[kept] = size;
        curve->miss[kept++] = miss;
    }
    curve->n = kept;
}

double plussi_mrc_at(const plussi_mrc *mrc, double size_lines)
{
    size_t lo = 0, hi = mrc->n; /* the last step at or below the size, the first if there is none */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (mrc->size[mid] <= size_lines)
            lo = mid;
        else
            hi = mid;
    }
    return mrc->miss[lo];
}

/* Every step of every part as a drop of missing weight at a size, in order of size; then the whole
 * is what misses in the largest cache plus the drops to come. */
static pluss_status sum_parts(const plussi_mem *mem, const plussi_mrc *part, size_t n, size_t steps,
                              plussi_bin *drop, plussi_mrc *out)
{
    size_t count = 0;
    double level = 0;
    for (size_t p = 0; p < n; p++) {
        const plussi_mrc *from = &part[p];
        for (size_t i = 1; i < from->n; i++) {
            /* Doubles that are not negative are ordered as their bits are. */
            plussi_bin bin = {.weight = from->accesses * (from->miss[i - 1] - from->miss[i])};
            memcpy(&bin.key, &from->size[i], sizeof bin.key);
            drop[count++] = bin;
        }
        level += from->accesses * from->miss[from->n - 1];
        out->accesses += from->accesses;
    }
    pluss_status status = plussi_bins_sort(mem, drop, count);
    if (status != PLUSS_OK)
        return status;
    for (size_t i = steps; i > 0; i--) {
        out->size[i] = 0;
        memcpy(&out->size[i], &drop[i - 1].key, sizeof out->size[i]);
        out->miss[i] = level;
        level += drop[i - 1].weight;
    }
    out->size[0] = 0;
    out->miss[0] = level;
    return PLUSS_OK;
}

pluss_status plussi_mrc_sum(plussi_ctx *ctx, const plussi_mrc *part, size_t n, plussi_mrc *out)
{
    size_t steps = 0;
    double accesses = 0;
    for (size_t p = 0; p < n; p++) {
        steps += part[p].n - 1;
        accesses += part[p].accesses;
    }
    if (!(accesses > 0))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a sum of curves without accesses");
    plussi_bin *drop = plussi_alloc(&ctx->mem, steps, sizeof *drop);
    plussi_mrc sum = {.mem = ctx->mem};
    pluss_status status = drop ? plussi_curve_alloc(&ctx->mem, steps + 1, &sum) : PLUSS_ENOMEM;
    if (status == PLUSS_OK)
        status = sum_parts(&ctx->mem, part, n, steps, drop, &sum);
    plussi_free(&ctx->mem, drop);
    if (status != PLUSS_OK) {
        plussi_mrc_free(&sum);
        return status;
    }
    plussi_curve_finish(&sum, steps + 1);
    *out = sum;
    return PLUSS_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact stack distances, counted, and their curve.
 */
#include <string.h>

#include "exact/lru.h"
#include "study/stage.h"

pluss_status plussi_distances_count(plussi_ctx *ctx, plussi_distances *d, uint64_t distance)
{
    if (distance == PLUSSI_LRU_COLD) {
        d->cold++;
        return PLUSS_OK;
    }
    if (distance == PLUSSI_LRU_FAIL)
        return PLUSS_ENOMEM;
    if (distance >= d->n) {
        size_t n = d->n ? d->n : 1024;
        while (n <= distance)
            n *= 2;
        uint64_t *grown = plussi_realloc(&ctx->mem, d->count, n, sizeof *grown);
        if (!grown)
            return PLUSS_ENOMEM;
        memset(grown + d->n, 0, (n - d->n) * sizeof *grown);
        d->count = grown;
        d->n = n;
    }
    d->count[distance]++;
    return PLUSS_OK;
}

pluss_status plussi_distances_mrc(plussi_ctx *ctx, const plussi_distances *d, double runs,
                                  plussi_mrc *out)
{
    plussi_histo histo;
    plussi_histo_init(&histo, &ctx->mem);
    histo.cold = (double)d->cold;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < d->n && !status; i++)
        if (d->count[i])
            status = plussi_histo_add(&histo, i, (double)d->count[i]);
    if (!status && d->cold == 0)
        status = plussi_fail(ctx, PLUSS_EEMPTY, NULL, "%s", plussi_pipeline_no_accesses);
    if (!status)
        status = plussi_mrc_from_rd(ctx, &histo, out);
    if (!status)
        out->accesses /= runs;
    plussi_histo_free(&histo);
    return status;
}

void plussi_distances_free(plussi_ctx *ctx, plussi_distances *d)
{
    plussi_free(&ctx->mem, d->count);
    *d = (plussi_distances){0};
}

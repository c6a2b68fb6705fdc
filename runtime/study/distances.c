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

static pluss_status to_histo(const plussi_distances *d, plussi_histo *out)
{
    pluss_status status = PLUSS_OK;
    out->cold += (double)d->cold;
    for (size_t i = 0; i < d->n && !status; i++)
        if (d->count[i])
            status = plussi_histo_add(out, i, (double)d->count[i]);
    return status;
}

pluss_status plussi_distances_profile(plussi_ctx *ctx, const plussi_distances *d, size_t n,
                                      bool parts, double runs, plussi_profile *out)
{
    pluss_status status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE,
                                              PLUSSI_SCOPE_CONCURRENT, parts ? n : 0, out);
    for (size_t i = 0; i < n && !status; i++)
        status = to_histo(&d[i], &out->histo);
    for (size_t i = 0; i < out->n_parts && !status; i++)
        status = to_histo(&d[i], &out->part[i].histo);
    out->runs = runs;
    return status;
}

void plussi_distances_free(plussi_ctx *ctx, plussi_distances *d)
{
    plussi_free(&ctx->mem, d->count);
    *d = (plussi_distances){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact answer: walk, merge, stack distances.
 */
#include "pipeline/stage.h"

#include <string.h>

#include "lru/lru.h"

/* Touches by distance; distances are below the footprint, so an array is smallest and fastest. */
typedef struct distances {
    uint64_t *count;
    size_t n;
    uint64_t cold;
} distances;

enum { BATCH = 4096, ASK_EVERY = 256 /* batches */ };

static pluss_status count_distance(plussi_ctx *ctx, distances *d, uint64_t distance)
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

static pluss_status count_all(plussi_ctx *ctx, const plussi_request *request, plussi_walk *walk,
                              plussi_merge *merge, plussi_lru *lru, distances *d)
{
    plussi_access batch[BATCH];
    uint64_t accesses = 0;
    for (uint64_t round = 0;; round++) {
        size_t n = plussi_merge_next(merge, batch, BATCH);
        if (n == 0)
            return plussi_walk_status(walk);
        for (size_t i = 0; i < n; i++) {
            pluss_status status = count_distance(ctx, d, plussi_lru_touch(lru, batch[i].line));
            if (status)
                return status;
        }
        accesses += n;
        if (round % ASK_EVERY == 0) {
            pluss_status status = plussi_pipeline_ask(request, "simulate", -1, accesses);
            if (status)
                return status;
        }
    }
}

static pluss_status distances_to_mrc(plussi_ctx *ctx, const distances *d, plussi_mrc *out)
{
    plussi_histo histo;
    plussi_histo_init(&histo, &ctx->mem);
    histo.cold = (double)d->cold;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < d->n && !status; i++)
        if (d->count[i])
            status = plussi_histo_add(&histo, i, (double)d->count[i]);
    if (!status && d->cold == 0)
        status = plussi_fail(ctx, PLUSS_EINVALID, NULL, "%s", plussi_pipeline_no_accesses);
    if (!status)
        status = plussi_mrc_from_rd(ctx, &histo, out);
    plussi_histo_free(&histo);
    return status;
}

static pluss_status simulate_team(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_request *request, plussi_result *result)
{
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    plussi_lru *lru = NULL;
    distances d = {0};
    plussi_curve curve = {0};
    char engine[48];
    plussi_pipeline_parametric(plussi_interleave_name(request->interleave),
                               request->interleave_param, engine, sizeof engine);
    pluss_status status = plussi_walk_new(ctx, bound, request->seed, &walk);
    if (!status)
        status = plussi_merge_new(ctx, walk, request->interleave, request->interleave_param,
                                  request->seed, &merge);
    if (!status)
        status = plussi_lru_new(ctx, &lru);
    if (!status)
        status = count_all(ctx, request, walk, merge, lru, &d);
    if (!status)
        status = distances_to_mrc(ctx, &d, &curve.mrc);
    curve.footprint_lines = d.cold;
    if (!status)
        status = plussi_pipeline_add(ctx, bound, request, true, engine, &curve, result);
    plussi_free(&ctx->mem, d.count);
    if (lru)
        plussi_lru_free(lru);
    if (merge)
        plussi_merge_free(merge);
    if (walk)
        plussi_walk_free(walk);
    return status;
}

pluss_status plussi_pipeline_simulate(plussi_ctx *ctx, const plussi_nest *nest,
                                      const plussi_request *request, plussi_result *out)
{
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < request->n_teams && !status; i++) {
        plussi_bound *bound = NULL;
        status = plussi_pipeline_bind(ctx, nest, request, request->team[i], &bound);
        if (!status)
            status = simulate_team(ctx, bound, request, &result);
        if (bound)
            plussi_bound_free(bound);
    }
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    return status;
}

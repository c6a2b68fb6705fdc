/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact answer: walk, merge, stack distances.
 */
#include "pipeline/stage.h"

#include "lru/lru.h"

enum { BATCH = 4096, ASK_EVERY = 256 /* batches */ };

static pluss_status count_all(plussi_ctx *ctx, const plussi_request *request, plussi_walk *walk,
                              plussi_merge *merge, plussi_lru *lru, plussi_distances *d)
{
    plussi_access batch[BATCH];
    uint64_t accesses = 0;
    for (uint64_t round = 0;; round++) {
        size_t n = plussi_merge_next(merge, batch, BATCH);
        if (n == 0)
            return plussi_walk_status(walk);
        for (size_t i = 0; i < n; i++) {
            pluss_status status =
                plussi_distances_count(ctx, d, plussi_lru_touch(lru, batch[i].line));
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

static pluss_status simulate_team(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_request *request, plussi_result *result)
{
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    plussi_lru *lru = NULL;
    plussi_distances d = {0};
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
        status = plussi_distances_mrc(ctx, &d, 1, &curve.mrc);
    curve.footprint_lines = d.cold;
    if (!status)
        status = plussi_pipeline_add(ctx, bound, request, true, engine, &curve, result);
    plussi_distances_free(ctx, &d);
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

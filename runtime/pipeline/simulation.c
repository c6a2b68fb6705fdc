/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact answer: walk, merge, stack distances.
 */
#include "pipeline/stage.h"

#include "lru/lru.h"

enum { BATCH = 4096, ASK_EVERY = 256 /* batches */ };

/* Caches that so many threads share each: a stack for each of them, their distances together. */
typedef struct caches {
    uint32_t sharers; /* 0: all */
    plussi_lru **lru;
    size_t n;
    plussi_distances d;
} caches;

static pluss_status caches_new(plussi_ctx *ctx, const plussi_bound *bound, uint32_t sharers,
                               caches *out)
{
    uint32_t team = bound->max_team > bound->team ? bound->max_team : bound->team;
    uint32_t n = sharers ? (team - 1) / sharers + 1 : 1;
    *out = (caches){.sharers = sharers, .lru = plussi_calloc(&ctx->mem, n, sizeof(plussi_lru *))};
    pluss_status status = out->lru ? PLUSS_OK : PLUSS_ENOMEM;
    for (; out->n < n && !status; out->n += !status)
        status = plussi_lru_new(ctx, &out->lru[out->n]);
    return status;
}

static void caches_free(plussi_ctx *ctx, caches *c)
{
    for (size_t i = 0; i < c->n; i++)
        plussi_lru_free(c->lru[i]);
    plussi_free(&ctx->mem, c->lru);
    plussi_distances_free(ctx, &c->d);
}

static pluss_status count_batch(plussi_ctx *ctx, caches *c, const plussi_access *access, size_t n)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        plussi_lru *lru = c->lru[c->sharers ? access[i].thread / c->sharers : 0];
        status = plussi_distances_count(ctx, &c->d, plussi_lru_touch(lru, access[i].line));
    }
    return status;
}

static pluss_status count_all(plussi_ctx *ctx, const plussi_request *request, plussi_walk *walk,
                              plussi_merge *merge, caches *c, size_t n_caches)
{
    plussi_access batch[BATCH];
    uint64_t accesses = 0;
    for (uint64_t round = 0;; round++) {
        size_t n = plussi_merge_next(merge, batch, BATCH);
        pluss_status status = n ? PLUSS_OK : plussi_walk_status(walk);
        for (size_t i = 0; i < n_caches && !status; i++)
            status = count_batch(ctx, &c[i], batch, n);
        accesses += n;
        if (!status && n && round % ASK_EVERY == 0)
            status = plussi_pipeline_ask(request, "simulate", -1, accesses);
        if (status || n == 0)
            return status;
    }
}

static pluss_status add_curves(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_request *request, const caches *c, size_t n,
                               uint64_t footprint, plussi_result *result)
{
    char engine[48];
    pluss_status status = PLUSS_OK;
    plussi_pipeline_parametric(plussi_interleave_name(request->interleave),
                               request->interleave_param, request->cores, engine, sizeof engine);
    for (size_t i = 0; i < n && !status; i++) {
        plussi_curve curve = {.sharers = c[i].sharers, .footprint_lines = footprint};
        status = plussi_distances_mrc(ctx, &c[i].d, 1, &curve.mrc);
        if (!status)
            status = plussi_pipeline_add(ctx, bound, request, true, engine, &curve, result);
    }
    return status;
}

static pluss_status walk_all(plussi_ctx *ctx, const plussi_bound *bound,
                             const plussi_request *request, caches *c, size_t n)
{
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    pluss_status status = plussi_walk_new(ctx, bound, request->seed, &walk);
    if (!status)
        status = request->interleave == PLUSSI_INTERLEAVE_SLICES
                     ? plussi_merge_new_slices(ctx, walk, request->interleave_param, request->cores,
                                               request->seed, &merge)
                     : plussi_merge_new(ctx, walk, request->interleave, request->interleave_param,
                                        request->seed, &merge);
    if (!status)
        status = count_all(ctx, request, walk, merge, c, n);
    if (merge)
        plussi_merge_free(merge);
    if (walk)
        plussi_walk_free(walk);
    return status;
}

static pluss_status simulate_team(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_request *request, plussi_result *result)
{
    uint32_t *sharers = NULL;
    size_t n = 0, made = 0, whole = 0;
    pluss_status status = plussi_pipeline_sharers(ctx, request, bound, &sharers, &n);
    caches *c = status ? NULL : plussi_calloc(&ctx->mem, n + 1, sizeof *c);
    if (!status && !c)
        status = PLUSS_ENOMEM;
    while (!status && whole < n && sharers[whole])
        whole++;
    size_t all = whole < n ? n : n + 1; /* one of all threads, too: it tells the program's lines */
    for (; made < all && !status; made++)
        status = caches_new(ctx, bound, made < n ? sharers[made] : 0, &c[made]);
    if (!status)
        status = walk_all(ctx, bound, request, c, all);
    if (!status)
        status = add_curves(ctx, bound, request, c, n, c[whole].d.cold, result);
    for (size_t i = 0; i < made; i++)
        caches_free(ctx, &c[i]);
    plussi_free(&ctx->mem, c);
    plussi_free(&ctx->mem, sharers);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/indirect_values.h"

#include "exact/lru.h"
#include "study/stage.h"
#include "trace/walk.h"

enum {
    BATCH = 256,
    ASK_EVERY = 1 << 12,        /* batches */
    COUNTING_STEPS = 100000000, /* a second */
    MOST_WALKED = 100000000     /* accesses that estimates are compared with; some ten seconds */
};

typedef struct walking {
    plussi_indirect_values *to;
    const plussi_request *request;
    uint32_t *region; /* of each reference */
    plussi_lru *lru;  /* of the region that is executed */
    uint32_t current;
    uint64_t accesses;
} walking;

static pluss_status find_regions(plussi_ctx *ctx, const plussi_bound *bound, walking *w)
{
    uint32_t number = 0;
    w->region = plussi_calloc(&ctx->mem, bound->n_refs + 1, sizeof *w->region);
    if (!w->region)
        return PLUSS_ENOMEM;
    for (const plussi_region *r = bound->nest->first_region; r; r = r->next, number++)
        for (plussi_node *n = plussi_nest_walk(&r->body, NULL); n;
             n = plussi_nest_walk(&r->body, n))
            if (n->kind == PLUSSI_N_REF)
                w->region[n->id] = number;
    return PLUSS_OK;
}

static pluss_status touch(walking *w, const plussi_access *access)
{
    const uint32_t region = w->region[access->ref];
    const size_t n_caches = w->request->n_caches;
    if (region != w->current) /* regions follow one another */
        plussi_lru_reset(w->lru);
    w->current = region;
    const uint64_t distance = plussi_lru_touch(w->lru, access->line);
    if (distance == PLUSSI_LRU_FAIL)
        return PLUSS_ENOMEM;
    w->accesses++;
    w->to->accesses[region]++;
    for (size_t c = 0; c < n_caches; c++)
        w->to->misses[region * n_caches + c] +=
            distance == PLUSSI_LRU_COLD ||
            distance >= w->request->cache[c].bytes / w->request->line_bytes;
    return PLUSS_OK;
}

static pluss_status walk_all(walking *w, plussi_walk *walk)
{
    plussi_access batch[BATCH];
    uint64_t batches = 0;
    pluss_status status = PLUSS_OK;
    do
        for (size_t n; !status && (n = plussi_walk_fill(walk, 0, batch, BATCH)) > 0;) {
            if (batches++ % ASK_EVERY == 0)
                status = plussi_pipeline_ask(w->request, "simulate", plussi_walk_done(walk),
                                             w->accesses);
            for (size_t i = 0; i < n && !status; i++)
                status = touch(w, &batch[i]);
        }
    while (!status && plussi_walk_next_phase(walk));
    return status ? status : plussi_walk_status(walk);
}

/* Exact misses: a stack of each region's own lines. */
static pluss_status walk_exactly(plussi_ctx *ctx, const plussi_request *request, plussi_walk *walk,
                                 plussi_indirect_values *out)
{
    walking w = {.to = out, .request = request, .current = UINT32_MAX};
    pluss_status status = find_regions(ctx, out->bound, &w);
    if (!status)
        status = plussi_lru_new(ctx, &w.lru);
    if (!status)
        status = walk_all(&w, walk);
    plussi_lru_free(w.lru);
    plussi_free(&ctx->mem, w.region);
    return status;
}

static pluss_status count(plussi_ctx *ctx, const plussi_request *request, plussi_walk *walk,
                          plussi_indirect_values *out)
{
    plussi_effort effort = {.left = COUNTING_STEPS};
    double all = 0;
    out->n_regions = out->bound->n_regions;
    out->accesses = plussi_calloc(&ctx->mem, out->n_regions + 1, sizeof *out->accesses);
    out->misses =
        plussi_calloc(&ctx->mem, out->n_regions * request->n_caches + 1, sizeof *out->misses);
    if (!out->accesses || !out->misses)
        return PLUSS_ENOMEM;
    const pluss_status status = plussi_count_executions(ctx, out->bound, &effort, &out->executed);
    if (status)
        return status;
    for (uint32_t i = 0; i < out->bound->n_refs; i++)
        all += out->executed.ref[i];
    out->has_exact = all <= MOST_WALKED;
    return out->has_exact ? walk_exactly(ctx, request, walk, out) : PLUSS_OK;
}

pluss_status plussi_indirect_evaluate(plussi_ctx *ctx, const plussi_nest *nest,
                                      const plussi_request *request, plussi_indirect_values *out)
{
    plussi_walk *walk = NULL;
    pluss_status status = plussi_pipeline_bind(ctx, nest, request, 1, &out->bound);
    if (!status) /* which refuses what lacks contents */
        status = plussi_walk_new(ctx, out->bound, request->seed, &walk);
    if (!status)
        status = count(ctx, request, walk, out);
    if (walk)
        plussi_walk_free(walk);
    if (status)
        plussi_indirect_values_free(ctx, out);
    return status;
}

void plussi_indirect_values_free(plussi_ctx *ctx, plussi_indirect_values *values)
{
    if (values->bound)
        plussi_bound_free(values->bound);
    plussi_executions_free(ctx, &values->executed);
    plussi_free(&ctx->mem, values->accesses);
    plussi_free(&ctx->mem, values->misses);
    *values = (plussi_indirect_values){0};
}

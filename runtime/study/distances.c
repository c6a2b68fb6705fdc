/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact stack distances, counted, and their curve.
 */
#include <math.h>
#include <string.h>

#include "base/processors.h"
#include "exact/lru.h"
#include "study/slices.h"

enum { ASK_EVERY = 256 /* batches */ };

pluss_status plussi_count_new_distance(plussi_ctx *ctx, plussi_distances *d, uint64_t distance)
{
    if (distance == PLUSSI_LRU_COLD) {
        d->cold++;
        return PLUSS_OK;
    }
    if (distance == PLUSSI_LRU_FAIL)
        return PLUSS_ENOMEM;
    size_t n = d->n ? d->n : 1024;
    while (n <= distance)
        n *= 2;
    uint64_t *grown = plussi_realloc(&ctx->mem, d->count, n, sizeof *grown);
    if (!grown)
        return PLUSS_ENOMEM;
    memset(grown + d->n, 0, (n - d->n) * sizeof *grown);
    d->count = grown;
    d->n = n;
    d->count[distance]++;
    return PLUSS_OK;
}

/* ---- caches ------------------------------------------------------------------------------------
 */

pluss_status plussi_caches_new(plussi_ctx *ctx, uint32_t team, uint32_t threads_per_cache,
                               size_t n_d, plussi_caches *out)
{
    uint32_t n = threads_per_cache ? (team - 1) / threads_per_cache + 1 : 1;
    *out = (plussi_caches){.threads_per_cache = threads_per_cache,
                           .lru = plussi_calloc(&ctx->mem, n, sizeof *out->lru),
                           .d = plussi_calloc(&ctx->mem, n_d, sizeof *out->d),
                           .n_d = n_d};
    pluss_status status = out->lru && out->d ? PLUSS_OK : PLUSS_ENOMEM;
    for (; out->n < n && !status; out->n += !status)
        status = plussi_lru_new(ctx, &out->lru[out->n]);
    return status;
}

void plussi_caches_free(plussi_ctx *ctx, plussi_caches *c)
{
    for (size_t i = 0; i < c->n; i++)
        plussi_lru_free(c->lru[i]);
    plussi_free(&ctx->mem, c->lru);
    for (size_t i = 0; c->d && i < c->n_d; i++)
        plussi_free(&ctx->mem, c->d[i].count);
    plussi_free(&ctx->mem, c->d);
}

void plussi_caches_empty(plussi_caches *c)
{
    for (size_t i = 0; i < c->n; i++)
        plussi_lru_reset(c->lru[i]);
}

pluss_status plussi_count_batch(plussi_ctx *ctx, plussi_caches *c, const plussi_access *access,
                                size_t n)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const size_t s = c->threads_per_cache ? access[i].thread / c->threads_per_cache : 0;
        plussi_distances *d = &c->d[plussi_caches_part(c, access[i].ref, s)];
        status = plussi_count_distance(ctx, d, plussi_lru_touch(c->lru[s], access[i].line));
    }
    return status;
}

/* A trace that is counted, as far as it goes. */
typedef struct counting {
    plussi_ctx *ctx;
    const plussi_request *request;
    const char *what;
    uint64_t total; /* 0: not known */
    plussi_trace *trace;
    plussi_effort *effort;
    size_t n_caches;
    plussi_level_counter *levels;
    uint64_t *accesses;
    uint64_t batches, counted;
} counting;

/* By the accesses, or where these are not counted, as far as the trace can tell. */
static double find_done(const counting *c)
{
    if (c->total)
        return fmin((double)c->counted / (double)c->total, 1);
    return c->trace->done ? c->trace->done(c->trace) : -1;
}

/* The next batch, which has gone through the levels. */
static pluss_status next_batch(void *user, plussi_access *batch, size_t cap, size_t *n)
{
    enum { STEPS = 12 }; /* an access, each stack or hierarchy */
    counting *c = user;
    pluss_status status =
        plussi_trace_next(c->trace, batch, cap < PLUSSI_BATCH ? cap : PLUSSI_BATCH, n);
    if (!status &&
        !plussi_effort_pay(c->effort, *n * (c->n_caches + plussi_level_stacks(c->levels)) * STEPS))
        status = plussi_walk_refuse(c->ctx);
    if (!status && c->levels)
        status = plussi_count_levels(c->levels, c->trace->phase, batch, *n);
    *c->accesses += status ? 0 : *n;
    c->counted += *n;
    if (!status && (c->batches++ % ASK_EVERY == 0 || *n == 0))
        status = plussi_pipeline_ask(c->request, c->what, find_done(c), *c->accesses);
    return status;
}

pluss_status plussi_caches_count(plussi_ctx *ctx, const plussi_request *request, const char *what,
                                 uint64_t total, plussi_trace *trace, plussi_effort *effort,
                                 plussi_caches *caches, size_t n_caches,
                                 plussi_level_counter *levels, uint64_t *accesses)
{
    enum { FIRST = 1 << 20 /* accesses, for which no worker is started */ };
    const uint32_t processors = request->ranks ? 1 : plussi_count_processors();
    plussi_slicing how = {.workers = request->workers ? request->workers : processors,
                          .ranks = request->ranks,
                          .least = 1 << 18,
                          .most = 1 << 22,
                          .held = 1 << 24};
    counting c = {ctx, request, what, total, trace, effort, n_caches, levels, accesses, 0, 0};
    plussi_access batch[PLUSSI_BATCH];
    for (uint64_t done = 0; done < FIRST;) {
        size_t n = 0;
        pluss_status status = next_batch(&c, batch, PLUSSI_BATCH, &n);
        for (size_t i = 0; i < n_caches && !status; i++)
            status = plussi_count_batch(ctx, &caches[i], batch, n);
        if (status || n == 0)
            return status;
        done += n;
    }
    const uint32_t others = plussi_spare_take(request->spare, how.workers - 1);
    how.workers = 1 + others;
    const pluss_status status = plussi_slices_count(ctx, &how, next_batch, &c, caches, n_caches);
    plussi_spare_give(request->spare, others);
    return status;
}

/* ---- profiles ----------------------------------------------------------------------------------
 */

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

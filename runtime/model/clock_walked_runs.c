/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far the curve of a single run is from the mean over runs, for programs of so few accesses
 * that walking some runs takes no longer than sampling: the standard deviation of their exact
 * curves.
 */
#include <math.h>

#include "base/bisect.h"
#include "exact/lru.h"
#include "model/clock_state.h"
#include "trace/walk.h"

enum { BATCH = 512 };

/* Misses of one run at each size. */
typedef struct walked {
    const plussi_bound *bound;
    uint32_t threads_per_cache, team;
    uint64_t seed;
    const double *size;
    size_t n;
    double *misses;
} walked;

/* Counts the touches by the first size that holds them; [n]: none does. */
static pluss_status count_touches(plussi_ctx *ctx, const walked *x, plussi_trace *trace,
                                  plussi_lru **lru, uint64_t *held)
{
    enum { STEPS = 8 };
    plussi_access batch[BATCH];
    for (;;) {
        size_t n;
        pluss_status status = plussi_trace_next(trace, batch, BATCH, &n);
        if (status || n == 0)
            return status;
        plussi_effort_take(plussi_effort_of(ctx), STEPS * n);
        for (size_t i = 0; i < n; i++) {
            uint64_t distance =
                plussi_lru_touch(lru[batch[i].thread / x->threads_per_cache], batch[i].line);
            if (distance == PLUSSI_LRU_FAIL)
                return PLUSS_ENOMEM;
            PLUSSI_BISECT(size_t, holds, 0, x->n, x->size[holds] > (double)distance);
            held[holds]++;
        }
    }
}

static pluss_status walk_run(plussi_ctx *ctx, void *user)
{
    const walked *x = user;
    uint32_t caches = (x->team - 1) / x->threads_per_cache + 1;
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    plussi_lru **lru = plussi_calloc(&ctx->mem, caches, sizeof(plussi_lru *));
    uint64_t *held = plussi_calloc(&ctx->mem, x->n + 1, sizeof *held);
    pluss_status status = lru && held ? PLUSS_OK : PLUSS_ENOMEM;
    for (uint32_t i = 0; i < caches && !status; i++)
        status = plussi_lru_new(ctx, &lru[i]);
    if (!status)
        status = plussi_walk_new(ctx, x->bound, x->seed, &walk);
    if (!status)
        status = plussi_merge_new(ctx, walk, &(plussi_progress){0}, x->seed, &merge);
    if (!status)
        status = count_touches(ctx, x, plussi_merge_trace(merge), lru, held);
    double misses = 0;
    for (size_t i = x->n; !status && i-- > 0;)
        x->misses[i] = misses += (double)held[i + 1];
    if (merge)
        plussi_merge_free(merge);
    if (walk)
        plussi_walk_free(walk);
    for (uint32_t i = 0; lru && i < caches; i++)
        plussi_lru_free(lru[i]);
    plussi_free(&ctx->mem, lru);
    plussi_free(&ctx->mem, held);
    return status;
}

pluss_status plussi_clock_walked_runs(plussi_ctx *ctx, const plussi_bound *bound,
                                      const plussi_clock_options *options,
                                      plussi_clock_watch *watch, double accesses,
                                      const double *size, size_t n, double *out)
{
    uint32_t runs = options->runs;
    uint32_t team = bound->max_team;
    uint32_t threads_per_cache = options->threads_per_cache && options->threads_per_cache < team
                                     ? options->threads_per_cache
                                     : team;
    double *misses = plussi_calloc(&ctx->mem, 2 * n + 1, sizeof *misses), *mean = misses + n;
    pluss_status status = misses ? PLUSS_OK : PLUSS_ENOMEM;
    walked x = {bound, threads_per_cache, team, options->seed, size, n, misses};
    for (uint32_t r = 0; r < runs && !status; r++) {
        if (!plussi_clock_goes_on(watch)) {
            status = PLUSS_ECANCELLED;
            break;
        }
        plussi_splitmix64(&x.seed);
        status = plussi_clock_attempt(ctx, bound, options, walk_run, &x, NULL);
        for (size_t i = 0; i < n && !status; i++) { /* Welford's running variance */
            double d = misses[i] - mean[i];
            mean[i] += d / (r + 1);
            out[i] += d * (misses[i] - mean[i]);
        }
    }
    for (size_t i = 0; i < n && !status; i++)
        out[i] = sqrt(out[i] / (runs - 1)) / accesses;
    plussi_free(&ctx->mem, misses);
    return status;
}

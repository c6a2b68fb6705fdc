/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact answer: walk, merge, stack distances.
 */
#include "sampler/walking.h"
#include "study/stage.h"

static uint64_t count_cold(const plussi_caches *c)
{
    uint64_t cold = 0;
    for (size_t i = 0; i < c->n_d; i++)
        cold += c->d[i].cold;
    return cold;
}

static pluss_status add_curves(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_request *request, const plussi_caches *c, size_t n,
                               uint64_t footprint, size_t runs, plussi_result *result)
{
    char engine[128];
    pluss_status status = PLUSS_OK;
    plussi_progress_write(&request->progress, engine, sizeof engine);
    for (size_t i = 0; i < n && !status; i++) {
        plussi_curve curve = {.id.threads_per_cache = c[i].threads_per_cache,
                              .footprint_lines = (footprint + runs / 2) / runs};
        plussi_profile profile;
        status = plussi_distances_profile(ctx, c[i].d, c[i].n_d, request->profiles, (double)runs,
                                          &profile);
        if (status)
            plussi_profile_free(&profile);
        else
            status =
                plussi_pipeline_add(ctx, bound, request, true, engine, &profile, &curve, result);
    }
    return status;
}

static pluss_status walk_once(plussi_ctx *ctx, const plussi_bound *bound,
                              const plussi_request *request, const plussi_progress *progress,
                              plussi_caches *c, size_t n, plussi_level_counter *levels)
{
    plussi_timelines *drawn = NULL;
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    uint64_t accesses = 0, total = 0;
    plussi_effort effort = {.left = plussi_walk_effort(request->effort)};
    pluss_status status = plussi_check_walk(ctx, bound, &effort, &total);
    if (!status)
        status = plussi_walk_new_bounded(ctx, bound, request->seed, &effort, &walk);
    if (!status && levels)
        plussi_walk_give_addresses(walk);
    if (!status && plussi_pipeline_has_loop_rates(request, bound))
        status = plussi_pipeline_draw_timelines(ctx, bound, request, 1, &drawn);
    plussi_progress as = {.law = PLUSSI_PROGRESS_RECORDED, .timelines = drawn};
    if (!status)
        status = plussi_merge_new(ctx, walk, drawn ? &as : progress, request->seed, &merge);
    if (!status)
        status = plussi_caches_count(ctx, request, "simulate", total, plussi_merge_trace(merge),
                                     &effort, c, n, levels, &accesses);
    if (merge)
        plussi_merge_free(merge);
    if (walk)
        plussi_walk_free(walk);
    plussi_timelines_free(drawn);
    return status;
}

/* Each recorded run on empty caches. */
static pluss_status walk_all(plussi_ctx *ctx, const plussi_nest *nest, uint32_t team,
                             const plussi_request *request, plussi_caches *c, size_t n,
                             plussi_level_counter *levels)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < request->progress.timelines->n && !status; i++) {
        plussi_request as, whole;
        plussi_ask_part part;
        const double share = 1 / (double)request->progress.timelines->n;
        plussi_bound *bound = NULL;
        plussi_timelines *fitted = NULL;
        plussi_ask_as_part(request, NULL, (double)i * share, share, &part, &whole);
        plussi_pipeline_as_run(&whole, i, &as);
        status = plussi_pipeline_bind(ctx, nest, &as, team, &bound);
        if (!status)
            status = plussi_fit_timeline(ctx, bound, &request->progress.timelines->run[i], &fitted);
        for (size_t k = 0; k < n && !status; k++)
            plussi_caches_empty(&c[k]);
        if (!status && levels)
            status = plussi_level_counter_empty(ctx, levels);
        plussi_progress one = {.law = PLUSSI_PROGRESS_RECORDED, .timelines = fitted};
        if (!status)
            status = walk_once(ctx, bound, &whole, &one, c, n, levels);
        plussi_timelines_free(fitted);
        if (bound)
            plussi_bound_free(bound);
    }
    return status;
}

/* The run that the seed draws of a pool of threads. */
static pluss_status walk_pool(plussi_ctx *ctx, const plussi_nest *nest, uint32_t team,
                              const plussi_request *request, plussi_caches *c, size_t n,
                              plussi_level_counter *levels)
{
    plussi_request as = *request;
    plussi_timelines *drawn = NULL;
    pluss_status status = plussi_pipeline_draw_pool(ctx, nest, request, team, &drawn);
    as.progress = (plussi_progress){.law = PLUSSI_PROGRESS_RECORDED, .timelines = drawn};
    if (!status)
        status = walk_all(ctx, nest, team, &as, c, n, levels);
    plussi_timelines_free(drawn);
    return status;
}

/* Stacks for each number of threads that share a cache, and of all threads, which tell the
 * program's lines, too; those of the hierarchy that is asked for. */
typedef struct counters {
    plussi_caches *cache;
    size_t n, made, wanted, whole; /* the first `wanted` are asked for; whole: of all threads */
    plussi_hierarchies hierarchies;
    plussi_level_counter level;
} counters;

static pluss_status make_counters(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_request *request, counters *out)
{
    uint32_t *threads_per_cache = NULL, largest = plussi_largest_team(bound);
    pluss_status status =
        plussi_pipeline_threads_per_cache(ctx, request, largest, &threads_per_cache, &out->wanted);
    if (!status && !(out->cache = plussi_calloc(&ctx->mem, out->wanted + 1, sizeof *out->cache)))
        status = PLUSS_ENOMEM;
    while (!status && out->whole < out->wanted && threads_per_cache[out->whole])
        out->whole++;
    out->n = out->whole < out->wanted ? out->wanted : out->wanted + 1;
    for (; out->made < out->n && !status; out->made++) {
        bool asked_for = out->made < out->wanted;
        status = plussi_caches_new(ctx, largest, asked_for ? threads_per_cache[out->made] : 0,
                                   request->profiles && asked_for ? bound->n_refs : 1,
                                   &out->cache[out->made]);
    }
    plussi_free(&ctx->mem, threads_per_cache);
    if (!status && plussi_request_has_levels(request))
        status = plussi_levels_of_request(ctx, request, largest, &out->hierarchies);
    if (!status && (out->hierarchies.n || request->sharing))
        status = plussi_level_counter_new(ctx, bound, &out->hierarchies, request, largest,
                                          PLUSSI_BATCH, &out->level);
    return status;
}

static void free_counters(plussi_ctx *ctx, counters *c)
{
    for (size_t i = 0; i < c->made; i++)
        plussi_caches_free(ctx, &c->cache[i]);
    plussi_free(&ctx->mem, c->cache);
    plussi_level_counter_free(ctx, &c->level);
}

static pluss_status simulate_team(plussi_ctx *ctx, const plussi_nest *nest, uint32_t team,
                                  const plussi_bound *bound, const plussi_request *request,
                                  plussi_result *result)
{
    bool recorded = request->progress.law == PLUSSI_PROGRESS_RECORDED;
    bool pool = request->progress.law == PLUSSI_PROGRESS_POOL;
    size_t runs = recorded ? request->progress.timelines->n : 1;
    counters c = {0};
    pluss_status status = make_counters(ctx, bound, request, &c);
    plussi_level_counter *levels = c.level.access ? &c.level : NULL;
    if (!status)
        status = pool ? walk_pool(ctx, nest, team, request, c.cache, c.n, levels)
                 : recorded
                     ? walk_all(ctx, nest, team, request, c.cache, c.n, levels)
                     : walk_once(ctx, bound, request, &request->progress, c.cache, c.n, levels);
    if (!status)
        status = add_curves(ctx, bound, request, c.cache, c.wanted, count_cold(&c.cache[c.whole]),
                            runs, result);
    if (!status && levels) {
        const plussi_curve *curve = &result->curve[result->n - 1];
        status =
            plussi_add_simulated_levels(ctx, levels, &curve->id, curve->mrc.accesses, runs, result);
    }
    free_counters(ctx, &c);
    return status;
}

pluss_status plussi_pipeline_simulate(plussi_ctx *ctx, const plussi_nest *nest,
                                      const plussi_request *request, plussi_result *out)
{
    plussi_result result;
    if (request->lines.n > 1)
        return plussi_pipeline_sweep_lines(ctx, nest, request, plussi_pipeline_simulate, out);
    plussi_result_init(&result, &ctx->mem);
    pluss_status status = plussi_progress_check(ctx, &request->progress);
    for (size_t i = 0; i < request->n_teams && !status; i++) {
        plussi_bound *bound = NULL;
        plussi_request own;
        plussi_ask_part part;
        const size_t first = result.n_levels;
        plussi_ask_as_part(request, NULL, (double)i / (double)request->n_teams,
                           1 / (double)request->n_teams, &part, &own);
        status = plussi_pipeline_bind(ctx, nest, request, request->team[i], &bound);
        if (!status)
            status = simulate_team(ctx, nest, request->team[i], bound, &own, &result);
        if (!status)
            status = plussi_pipeline_tell_instructions(ctx, nest, request, request->team[i], first,
                                                       &result);
        if (bound)
            plussi_bound_free(bound);
    }
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <stddef.h>
#include <string.h>

/* ---- engines --------------------------------------------------------------------------------- */

typedef pluss_status (*engine_fn)(plussi_ctx *ctx, const plussi_nest *nest,
                                  const plussi_request *request, plussi_result *out);

static bool are_bindings(const pluss_binding *bindings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!bindings || !bindings[i].name)
            return false;
    return true;
}

pluss_status plussi_ffi_request(pluss_context *ctx, const pluss_nest *nest,
                                const pluss_options *options, pluss_options *taken,
                                plussi_request *request)
{
    static const plussi_schedule_kind schedule[] = {PLUSSI_SCHED_NONE, PLUSSI_SCHED_STATIC,
                                                    PLUSSI_SCHED_DYNAMIC, PLUSSI_SCHED_GUIDED};
    static const uint32_t one = 1;
    plussi_ctx *inner = &ctx->ctx;
    pluss_status status = plussi_ffi_take(inner, taken, sizeof *taken, options);
    if (status)
        return status;
    bool recorded = taken->schedule == PLUSS_SCHEDULE_RECORDED;
    if (recorded)
        taken->schedule = PLUSS_SCHEDULE_AS_WRITTEN;
    if (recorded != (taken->n_chunks_done > 0) || (recorded && !taken->chunks_done))
        return plussi_fail(inner, PLUSS_EINVAL, NULL,
                           "a recorded schedule and what was executed go together");
    for (size_t i = 0; nest && i < taken->n_chunks_done; i++)
        if (taken->chunks_done[i].loop >= nest->info.loops)
            return plussi_fail(inner, PLUSS_EINVAL, NULL,
                               "chunks of loop %u: the nest has %u loops",
                               taken->chunks_done[i].loop, nest->info.loops);
    if ((taken->n_teams && !taken->teams) ||
        (taken->n_threads_per_cache && !taken->threads_per_cache) ||
        (taken->n_caches && !taken->cache_bytes) ||
        !are_bindings(taken->bindings, taken->n_bindings) ||
        (unsigned)taken->schedule > PLUSS_SCHEDULE_GUIDED)
        return plussi_fail(inner, PLUSS_EINVAL, NULL, "the options are not well formed");
    if (!(taken->error_target >= 0 && taken->error_target < 1))
        return plussi_fail(inner, PLUSS_ERANGE, NULL, "the error aimed at is out of range");
    if (taken->seed > INT64_MAX)
        return plussi_fail(inner, PLUSS_ERANGE, NULL, "a seed is below 2^63");
    for (size_t i = 0; i < taken->n_teams; i++)
        if (taken->teams[i] == 0)
            return plussi_fail(inner, PLUSS_ERANGE, NULL, "a team has at least one thread");
    if (taken->chunk < 0 || (taken->chunk > 0 && !taken->schedule))
        return plussi_fail(inner, PLUSS_ERANGE, NULL, "a chunk of %lld iterations%s",
                           (long long)taken->chunk, taken->chunk > 0 ? " of no schedule" : "");
    plussi_progress progress;
    status = plussi_ffi_take_progress(inner, taken->progress, &progress);
    if (status)
        return status;
    *request = (plussi_request){.team = taken->n_teams ? taken->teams : &one,
                                .n_teams = taken->n_teams ? taken->n_teams : 1,
                                .binding = (const plussi_binding *)taken->bindings,
                                .n_bindings = taken->n_bindings,
                                .line_bytes = taken->line_bytes ? taken->line_bytes : 64,
                                .seed = taken->seed,
                                .schedule = schedule[taken->schedule],
                                .chunk = taken->chunk,
                                .recorded = (const plussi_chunk *)taken->chunks_done,
                                .n_recorded = taken->n_chunks_done,
                                .model = taken->model,
                                .collect_team = taken->collect_team,
                                .error_target = taken->error_target,
                                .effort = taken->effort,
                                .explain = taken->explain != 0,
                                .spread = taken->spread != 0,
                                .profiles = taken->profiles != 0,
                                .threads_per_cache = taken->threads_per_cache,
                                .n_threads_per_cache = taken->n_threads_per_cache,
                                .progress = progress,
                                .ask = ctx->options.ask,
                                .ask_user = ctx->options.ask_user};
    return PLUSS_OK;
}
_Static_assert(sizeof(pluss_chunk) == sizeof(plussi_chunk) &&
                   offsetof(pluss_chunk, thread) == offsetof(plussi_chunk, thread) &&
                   offsetof(pluss_chunk, time) == offsetof(plussi_chunk, time) &&
                   offsetof(pluss_chunk, lo) == offsetof(plussi_chunk, lo) &&
                   offsetof(pluss_chunk, hi) == offsetof(plussi_chunk, hi),
               "chunks are passed through");
_Static_assert(sizeof(pluss_binding) == sizeof(plussi_binding) &&
                   offsetof(pluss_binding, value) == offsetof(plussi_binding, value),
               "bindings are passed through");

static pluss_status run(pluss_context *ctx, const pluss_nest *nest, const pluss_options *options,
                        engine_fn engine, pluss_result **out)
{
    if (!nest || !out)
        return PLUSS_EINVAL;
    pluss_options taken;
    plussi_request request;
    pluss_status status = plussi_ffi_request(ctx, nest, options, &taken, &request);
    if (status)
        return status;
    pluss_result *result = NULL;
    status = plussi_ffi_result(ctx, &result);
    if (status)
        return status;
    status = engine(&ctx->ctx, nest->nest, &request, &result->list);
    if (status)
        pluss_result_free(result);
    else
        *out = result;
    return status;
}

pluss_status pluss_predict(pluss_context *ctx, const pluss_nest *nest, const pluss_options *options,
                           pluss_result **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, run(ctx, nest, options, plussi_pipeline_predict, out));
}

pluss_status pluss_simulate(pluss_context *ctx, const pluss_nest *nest,
                            const pluss_options *options, pluss_result **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, run(ctx, nest, options, plussi_pipeline_simulate, out));
}

pluss_status pluss_model_get(size_t i, pluss_model_info *out)
{
    if (!out)
        return PLUSS_EINVAL;
    const plussi_model *model = plussi_model_at(i);
    if (!model)
        return PLUSS_ENOTFOUND;
    pluss_model_info info = {sizeof info, model->name, model->summary};
    return plussi_ffi_give(out, &info, sizeof info);
}

/* ---- private reuse intervals ----------------------------------------------------------------- */

struct pluss_pri {
    plussi_mem mem;
    uint32_t n;
    pluss_pri_info *info;
};

_Static_assert((int)PLUSS_SHARING_NONE == (int)PLUSSI_SHARING_NONE &&
                   (int)PLUSS_SHARING_SPATIAL == (int)PLUSSI_SHARING_SPATIAL &&
                   (int)PLUSS_SHARING_FULL == (int)PLUSSI_SHARING_FULL,
               "pluss.h: sharing");

void pluss_pri_free(pluss_pri *pri)
{
    if (!pri)
        return;
    plussi_mem mem = pri->mem;
    for (uint32_t i = 0; i < pri->n; i++) {
        plussi_free(&mem, (void *)pri->info[i].interval);
        plussi_free(&mem, (void *)pri->info[i].weight);
    }
    plussi_free(&mem, pri->info);
    plussi_free(&mem, pri);
}

static pluss_status give_ref(const plussi_mem *mem, const plussi_ref_pri *ref, pluss_pri_info *out)
{
    plussi_bin *bin = NULL;
    size_t n;
    pluss_status status = plussi_histo_sorted(&ref->histo, &bin, &n);
    if (status)
        return status;
    uint64_t *interval = plussi_alloc(mem, n, sizeof *interval);
    double *weight = plussi_alloc(mem, n, sizeof *weight);
    for (size_t i = 0; interval && weight && i < n; i++) {
        interval[i] = bin[i].key;
        weight[i] = bin[i].weight;
    }
    *out = (pluss_pri_info){.size = sizeof *out,
                            .sharing = (pluss_sharing)ref->sharing,
                            .sharers = ref->sharers,
                            .cold = ref->histo.cold,
                            .thread_first = ref->histo.thread_first,
                            .n_bins = n,
                            .interval = interval,
                            .weight = weight};
    plussi_free(&ref->histo.mem, bin);
    return interval && weight ? PLUSS_OK : PLUSS_ENOMEM;
}

static pluss_status give_pri(plussi_ctx *ctx, const plussi_pri *from, pluss_pri **out)
{
    pluss_pri *pri = plussi_calloc(&ctx->mem, 1, sizeof *pri);
    if (!pri)
        return PLUSS_ENOMEM;
    pri->mem = ctx->mem;
    pri->info = plussi_calloc(&ctx->mem, from->n_refs, sizeof *pri->info);
    pluss_status status = pri->info ? PLUSS_OK : PLUSS_ENOMEM;
    for (uint32_t i = 0; i < from->n_refs && !status; i++) {
        pri->n = i + 1;
        status = give_ref(&ctx->mem, &from->ref[i], &pri->info[i]);
    }
    if (status)
        pluss_pri_free(pri);
    else
        *out = pri;
    return status;
}

static pluss_status collect(pluss_context *ctx, const pluss_nest *nest,
                            const pluss_options *options, pluss_pri **out)
{
    if (!nest || !out)
        return PLUSS_EINVAL;
    pluss_options taken;
    plussi_request request;
    pluss_status status = plussi_ffi_request(ctx, nest, options, &taken, &request);
    if (status)
        return status;
    plussi_pri pri;
    status = plussi_pipeline_pri(&ctx->ctx, nest->nest, &request, &pri);
    if (status)
        return status;
    status = give_pri(&ctx->ctx, &pri, out);
    plussi_pri_free(&pri);
    return status;
}

pluss_status pluss_pri_collect(pluss_context *ctx, const pluss_nest *nest,
                               const pluss_options *options, pluss_pri **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, collect(ctx, nest, options, out));
}

pluss_status pluss_pri_get(const pluss_pri *pri, uint32_t i, pluss_pri_info *out)
{
    if (!pri || !out)
        return PLUSS_EINVAL;
    if (i >= pri->n)
        return PLUSS_ENOTFOUND;
    return plussi_ffi_give(out, &pri->info[i], sizeof *out);
}

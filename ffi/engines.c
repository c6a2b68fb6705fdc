/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <string.h>

#include "model/scale.h"
#include "study/points.h"
#include "study/scaling.h"

/* ---- engines --------------------------------------------------------------------------------- */

plussi_ask plussi_ffi_ask(const pluss_context *ctx)
{
    return (plussi_ask){ctx->options.ask, ctx->options.ask_user};
}

void plussi_ffi_request(pluss_context *ctx, const pluss_options *options, plussi_request *request)
{
    static const uint32_t one = 1;
    if (options)
        *request = options->request;
    else
        plussi_request_init(request, &ctx->ctx.mem);
    if (!request->n_teams) {
        request->team = &one;
        request->n_teams = 1;
    }
    request->ask = plussi_ffi_ask(ctx);
    request->ranks = ctx->ranks.n ? &ctx->ranks : NULL;
    request->kept = ctx->kept;
}

static pluss_status run(pluss_context *ctx, const pluss_nest *nest, const pluss_options *options,
                        plussi_study_fn engine, pluss_result **out)
{
    if (!nest || !out)
        return PLUSS_EINVAL;
    plussi_request request;
    plussi_ffi_request(ctx, options, &request);
    pluss_result *result = NULL;
    pluss_status status = plussi_ffi_result(ctx, &result);
    if (status)
        return status;
    status = plussi_evaluate_points(&ctx->ctx, nest->nest, &request, engine, &result->list);
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
    plussi_scale_by by;
    pluss_model_info info = {sizeof info, model->name, model->summary, 0};
    if (plussi_scale_rule(model, &by))
        info.scales = model == &plussi_model_scale_overlap ? 2 : 1;
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_result_scale(pluss_context *ctx, const pluss_result *profiles,
                                const pluss_options *options, pluss_result **out)
{
    plussi_request request;
    pluss_result *result = NULL;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!profiles || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_ffi_request(ctx, options, &request);
    pluss_status status = plussi_refuse_points(&ctx->ctx, &request);
    if (!status)
        status = plussi_ffi_result(ctx, &result);
    if (!status)
        status = plussi_scale_result(&ctx->ctx, &profiles->list, &request, &result->list);
    return plussi_ffi_give_result(ctx, status, false, result, out);
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
    plussi_request request;
    plussi_ffi_request(ctx, options, &request);
    plussi_pri pri;
    pluss_status status = plussi_refuse_points(&ctx->ctx, &request);
    if (!status)
        status = plussi_evaluate_pri(&ctx->ctx, nest->nest, &request, &pri);
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

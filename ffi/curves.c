/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <stddef.h>

#include <string.h>

#include "report/report.h"

struct pluss_curve; /* a plussi_curve: never looked into under this name */

static const plussi_curve *inside(const pluss_curve *curve)
{
    return (const plussi_curve *)curve;
}

_Static_assert(sizeof(pluss_binding) == sizeof(plussi_value) &&
                   offsetof(pluss_binding, value) == offsetof(plussi_value, value),
               "a curve's values are given as bindings");

pluss_status plussi_ffi_result(pluss_context *ctx, pluss_result **out)
{
    pluss_result *result = plussi_calloc(&ctx->ctx.mem, 1, sizeof *result);
    if (!result)
        return PLUSS_ENOMEM;
    plussi_result_init(&result->list, &ctx->ctx.mem);
    *out = result;
    return PLUSS_OK;
}

void pluss_result_free(pluss_result *result)
{
    if (!result)
        return;
    plussi_mem mem = result->list.mem;
    plussi_result_free(&result->list);
    plussi_free(&mem, result);
}

size_t pluss_result_count(const pluss_result *result)
{
    return result ? result->list.n : 0;
}

const pluss_curve *pluss_result_get(const pluss_result *result, size_t i)
{
    return result && i < result->list.n ? (const pluss_curve *)&result->list.curve[i] : NULL;
}

pluss_status pluss_result_get_capacities(const pluss_result *result, size_t i,
                                         pluss_capacities *out)
{
    plussi_capacities found;
    if (!result || !out)
        return PLUSS_EINVAL;
    if (!plussi_find_capacities(&result->list, i, &found))
        return PLUSS_ENOTFOUND;
    pluss_capacities info = {sizeof info, found.c_max, found.c_core, found.c_share};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_result_append(pluss_context *ctx, pluss_result *dst, pluss_result *src)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, dst && src && dst != src
                                     ? plussi_result_append(&dst->list, &src->list)
                                     : PLUSS_EINVAL);
}

pluss_status pluss_profile_merge(pluss_context *ctx, pluss_result *dst, pluss_result *src)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, dst && src && dst != src
                                     ? plussi_result_merge(&ctx->ctx, &dst->list, &src->list)
                                     : PLUSS_EINVAL);
}

_Static_assert(sizeof(pluss_number) == sizeof(plussi_number) &&
                   offsetof(pluss_number, value) == offsetof(plussi_number, value),
               "pluss.h: numbers with names");

pluss_status pluss_curve_get_info(const pluss_curve *curve, pluss_curve_info *out)
{
    if (!curve || !out)
        return PLUSS_EINVAL;
    const plussi_curve *c = inside(curve);
    pluss_curve_info info = {.size = sizeof info,
                             .region = c->id.region,
                             .file = c->id.file,
                             .line = c->id.line,
                             .team = c->id.team,
                             .simulated = c->id.simulated,
                             .engine = c->id.engine,
                             .line_bytes = c->id.line_bytes,
                             .seed = c->id.seed,
                             .schedule = c->id.schedule,
                             .n_bindings = c->id.n_values,
                             .bindings = (const pluss_binding *)c->id.values,
                             .footprint_lines = c->footprint_lines,
                             .accesses = c->mrc.accesses,
                             .unknowns = c->id.unknowns,
                             .n_points = c->mrc.n,
                             .size_lines = c->mrc.size,
                             .miss = c->mrc.miss,
                             .mean_error = c->mean_error,
                             .n_error_points = c->n_error,
                             .error_size_lines = c->error_size,
                             .error = c->error,
                             .threads_per_cache = c->id.threads_per_cache,
                             .spread = c->spread,
                             .progress = c->id.progress.law,
                             .progress_from = c->id.progress.from,
                             .progress_source = c->id.progress.source,
                             .n_progress_numbers = c->id.progress.n,
                             .progress_numbers = (const pluss_number *)c->id.progress.number};
    return plussi_ffi_give(out, &info, sizeof info);
}

double pluss_curve_at(const pluss_curve *curve, uint64_t bytes)
{
    const plussi_curve *c = inside(curve);
    return c ? plussi_mrc_at(&c->mrc, (double)(bytes / c->id.line_bytes)) : 1;
}

pluss_status pluss_result_read(pluss_context *ctx, const char *text, size_t length,
                               const char *file, pluss_result **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!text || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_result *result = NULL;
    pluss_status status = plussi_ffi_result(ctx, &result);
    if (status)
        return plussi_ffi_leave(ctx, status);
    status = plussi_report_json_read(&ctx->ctx, text, length, file, &result->list);
    if (status)
        pluss_result_free(result);
    else
        *out = result;
    return plussi_ffi_leave(ctx, status);
}

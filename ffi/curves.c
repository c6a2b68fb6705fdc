/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

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

pluss_status pluss_result_append(pluss_context *ctx, pluss_result *dst, pluss_result *src)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, dst && src && dst != src
                                     ? plussi_result_append(&dst->list, &src->list)
                                     : PLUSS_EINVAL);
}

pluss_status pluss_curve_get_info(const pluss_curve *curve, pluss_curve_info *out)
{
    if (!curve || !out)
        return PLUSS_EINVAL;
    const plussi_curve *c = inside(curve);
    pluss_curve_info info = {.size = sizeof info,
                             .region = c->region,
                             .file = c->file,
                             .line = c->line,
                             .team = c->team,
                             .simulated = c->simulated,
                             .engine = c->engine,
                             .line_bytes = c->line_bytes,
                             .seed = c->seed,
                             .schedule = c->schedule,
                             .n_bindings = c->n_values,
                             .bindings = (const pluss_binding *)c->values,
                             .footprint_lines = c->footprint_lines,
                             .accesses = c->mrc.accesses,
                             .unknowns = c->unknowns,
                             .n_points = c->mrc.n,
                             .size_lines = c->mrc.size,
                             .miss = c->mrc.miss,
                             .mean_error = c->mean_error,
                             .n_error_points = c->n_error,
                             .error_size_lines = c->error_size,
                             .error = c->error,
                             .sharers = c->sharers,
                             .spread = c->spread};
    return plussi_ffi_give(out, &info, sizeof info);
}

double pluss_curve_at(const pluss_curve *curve, uint64_t bytes)
{
    const plussi_curve *c = inside(curve);
    return c ? plussi_mrc_at(&c->mrc, (double)(bytes / c->line_bytes)) : 1;
}

/* ---- reports --------------------------------------------------------------------------------- */

_Static_assert(sizeof(pluss_cache) == sizeof(plussi_report_cache) &&
                   offsetof(pluss_cache, label) == offsetof(plussi_report_cache, label),
               "caches are passed through");

static pluss_status write_result(plussi_ctx *ctx, const pluss_result *result, pluss_format format,
                                 const pluss_report_options *options, pluss_write_fn write,
                                 void *user)
{
    if (!result || !write)
        return PLUSS_EINVAL;
    pluss_report_options taken;
    pluss_status status = plussi_ffi_take(ctx, &taken, sizeof taken, options);
    if (status)
        return status;
    if (taken.n_caches && !taken.caches)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "the options are not well formed");
    plussi_sink sink;
    plussi_sink_init(&sink, write, user);
    switch (format) {
    case PLUSS_FORMAT_TEXT:
        return plussi_report_table(
            ctx, &result->list,
            &(plussi_report_caches){.cache = (const plussi_report_cache *)taken.caches,
                                    .sharers = taken.cache_sharers,
                                    .n = taken.n_caches,
                                    .only = taken.only_caches != 0},
            &sink);
    case PLUSS_FORMAT_JSON:
        return plussi_report_json(ctx, &result->list, &sink);
    case PLUSS_FORMAT_CSV:
        return plussi_report_csv(ctx, &result->list, &sink);
    }
    return plussi_fail(ctx, PLUSS_EINVAL, NULL, "no such format");
}

pluss_status pluss_result_write(pluss_context *ctx, const pluss_result *result, pluss_format format,
                                const pluss_report_options *options, pluss_write_fn write,
                                void *user)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, write_result(&ctx->ctx, result, format, options, write, user));
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

/* ---- comparison ------------------------------------------------------------------------------ */

static pluss_status compare(plussi_ctx *ctx, const plussi_curve *a, const plussi_curve *b,
                            pluss_grid grid, pluss_difference *out)
{
    if (!a || !b || !out || (grid != PLUSS_GRID_STRICT && grid != PLUSS_GRID_PAPER))
        return PLUSS_EINVAL;
    if (a->line_bytes != b->line_bytes)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "curves of lines of %u and of %u bytes cannot be compared",
                           a->line_bytes, b->line_bytes);
    uint64_t *sizes = NULL;
    size_t n;
    pluss_status status =
        plussi_grid_sizes(ctx, grid == PLUSS_GRID_PAPER ? PLUSSI_GRID_PAPER : PLUSSI_GRID_STRICT,
                          b->footprint_lines, b->line_bytes, &sizes, &n);
    if (status)
        return status;
    plussi_mrc_error error;
    status = plussi_mrc_compare(ctx, &a->mrc, &b->mrc, sizes, n, &error);
    if (!status) {
        pluss_difference difference = {.size = sizeof difference,
                                       .mean_abs = error.mean_abs,
                                       .max_abs = error.max_abs,
                                       .mean_signed = error.mean_signed,
                                       .max_at_lines = error.max_at,
                                       .first_lines = sizes[0],
                                       .last_lines = sizes[n - 1],
                                       .n = error.n};
        status = plussi_ffi_give(out, &difference, sizeof difference);
    }
    plussi_free(&ctx->mem, sizes);
    return status;
}

pluss_status pluss_curve_compare(pluss_context *ctx, const pluss_curve *a, const pluss_curve *b,
                                 pluss_grid grid, pluss_difference *out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, compare(&ctx->ctx, inside(a), inside(b), grid, out));
}

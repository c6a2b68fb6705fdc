/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include "trace/fold.h"
#include "trace/fold_team.h"

static bool has_null(const char *const *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!text || !text[i])
            return true;
    return false;
}

pluss_status pluss_nest_fold(pluss_context *ctx, const char *const *traces, size_t n_traces,
                             const char *const *symbols, size_t n_symbols, const int64_t *values,
                             pluss_nest **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out || has_null(traces, n_traces) || has_null(symbols, n_symbols) ||
        (n_symbols > 0 && n_traces > 0 && !values))
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_nest *nest = NULL;
    pluss_status status = plussi_fold(
        &ctx->ctx,
        &(plussi_fold_request){traces, n_traces, symbols, n_symbols, values, plussi_ffi_ask(ctx)},
        &nest);
    if (!status)
        status = plussi_ffi_view(&ctx->ctx, nest, traces[n_traces - 1], out);
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_trace_count_threads(pluss_context *ctx, const char *path, uint32_t *out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    uint32_t n = 0;
    const plussi_ask ask = plussi_ffi_ask(ctx);
    pluss_status status =
        path && out ? plussi_team_count_threads(&ctx->ctx, path, &ask, &n) : PLUSS_EINVAL;
    if (!status)
        *out = n;
    return plussi_ffi_leave(ctx, status);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include "transform/transform.h"

pluss_status pluss_nest_transform(pluss_context *ctx, const pluss_nest *nest,
                                  const char *const *steps, size_t n, pluss_nest **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    bool complete = nest && out && (steps || n == 0);
    for (size_t i = 0; i < n && complete; i++)
        complete = steps[i] != NULL;
    if (!complete)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_nest *made = NULL;
    pluss_status status = plussi_transform(&ctx->ctx, nest->nest, steps, n, &made);
    if (!status)
        status = plussi_ffi_view(&ctx->ctx, made, nest->info.origin, out);
    return plussi_ffi_leave(ctx, status);
}

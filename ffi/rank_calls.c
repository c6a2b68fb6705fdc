/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

static bool is_whole(const pluss_ranks *ranks)
{
    return ranks->size >= sizeof *ranks && ranks->send && ranks->probe && ranks->receive;
}

static plussi_ranks view(const pluss_ranks *ranks, bool *gone)
{
    return (plussi_ranks){ranks->n, ranks->send, ranks->probe, ranks->receive, ranks->user, gone};
}

void plussi_ffi_end_ranks(pluss_context *ctx)
{
    plussi_ranks_end(&ctx->ranks);
    plussi_free(&ctx->ctx.mem, ctx->ranks.gone);
    ctx->ranks = (plussi_ranks){0};
}

pluss_status pluss_context_set_ranks(pluss_context *ctx, const pluss_ranks *ranks)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (ranks && (!is_whole(ranks) || ranks->n == 0))
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    bool *gone = ranks ? plussi_calloc(&ctx->ctx.mem, ranks->n, sizeof *gone) : NULL;
    if (ranks && !gone)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    plussi_ffi_end_ranks(ctx);
    if (ranks)
        ctx->ranks = view(ranks, gone);
    return plussi_ffi_leave(ctx, PLUSS_OK);
}

pluss_status pluss_ranks_serve(pluss_context *ctx, const pluss_ranks *ranks)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!ranks || !is_whole(ranks))
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    const plussi_ranks rank = view(ranks, NULL);
    const plussi_ask ask = plussi_ffi_ask(ctx);
    return plussi_ffi_leave(ctx, plussi_ranks_serve(&ctx->ctx, &rank, &ask));
}

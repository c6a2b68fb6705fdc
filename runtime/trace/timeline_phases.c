/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/timeline_phases.h"

#include <string.h>

pluss_status plussi_phases_add(plussi_phases *phases, const plussi_timeline_phase *phase)
{
    pluss_status status =
        plussi_grow(phases->mem, &phases->phase, &phases->cap, phases->n, sizeof *phases->phase);
    if (!status)
        phases->phase[phases->n++] = *phase;
    return status;
}

pluss_status plussi_phases_keep(const plussi_phases *phases, plussi_arena *arena,
                                plussi_timeline *out)
{
    if (phases->n == 0)
        return PLUSS_OK;
    out->phase = plussi_arena_alloc(arena, phases->n, sizeof *out->phase);
    if (!out->phase)
        return PLUSS_ENOMEM;
    memcpy(out->phase, phases->phase, phases->n * sizeof *out->phase);
    out->n_phases = phases->n;
    return PLUSS_OK;
}

pluss_status plussi_timelines_new(plussi_ctx *ctx, size_t n, plussi_timelines **out)
{
    plussi_timelines *timelines = plussi_calloc(&ctx->mem, 1, sizeof *timelines);
    if (!timelines)
        return PLUSS_ENOMEM;
    plussi_arena_init(&timelines->arena, &ctx->mem);
    timelines->run = plussi_arena_alloc(&timelines->arena, n ? n : 1, sizeof *timelines->run);
    if (!timelines->run) {
        plussi_timelines_free(timelines);
        return PLUSS_ENOMEM;
    }
    *out = timelines;
    return PLUSS_OK;
}

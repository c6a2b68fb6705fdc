/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is the schedule that is asked for the one that was recorded?
 */
#include "bound/cexpr.h"
#include "study/stage.h"

/* Of dynamic and guided loops 1 is meant where none is given. */
static int64_t chunk_of(plussi_schedule_kind kind, int64_t chunk)
{
    return kind != PLUSSI_SCHED_STATIC && chunk < 1 ? 1 : chunk;
}

static bool same_chunk(const plussi_cexpr *a, const plussi_cexpr *b)
{
    if (!a || !b)
        return a == b;
    return plussi_cexpr_is_const(a) && plussi_cexpr_is_const(b) && a->c == b->c;
}

/* Each worksharing loop as it is written has the schedule that is asked for. What the environment
 * said of a schedule(runtime) is not known. */
static bool same_loops(const plussi_bound *written, const plussi_bound *asked)
{
    for (uint32_t i = 0; i < written->n_loops; i++) {
        const plussi_bound_node *x = written->loop[i], *y = asked->loop[i];
        if (!x || !y || !x->u.loop.workshare)
            continue;
        const plussi_bound_schedule *a = &x->u.loop.schedule, *b = &y->u.loop.schedule;
        if (x->decl->u.loop.schedule.kind == PLUSSI_SCHED_RUNTIME || a->kind != b->kind ||
            !same_chunk(a->chunk, b->chunk))
            return false;
    }
    return true;
}

pluss_status plussi_pipeline_has_recorded_schedule(plussi_ctx *ctx, const plussi_nest *nest,
                                                   const plussi_request *request, bool *out)
{
    const plussi_record_block *block = request->block;
    plussi_schedule_kind kind = request->schedule;
    if (!block || kind == PLUSSI_SCHED_NONE || request->n_recorded || block->team == 1) {
        *out = block != NULL;
        return PLUSS_OK;
    }
    if (block->schedule != PLUSSI_SCHED_NONE) {
        *out = block->schedule == kind &&
               chunk_of(kind, block->schedule_chunk) == chunk_of(kind, request->chunk);
        return PLUSS_OK;
    }
    plussi_request as_written = *request;
    as_written.schedule = PLUSSI_SCHED_NONE;
    plussi_ctx quiet; /* what binding has to say is said where it counts */
    plussi_bound *written = NULL, *asked = NULL;
    plussi_ctx_init(&quiet, &ctx->mem);
    pluss_status status =
        plussi_pipeline_bind(&quiet, nest, &as_written, block->default_team, &written);
    if (!status)
        status = plussi_pipeline_bind(&quiet, nest, request, block->default_team, &asked);
    if (!status)
        *out = same_loops(written, asked);
    if (written)
        plussi_bound_free(written);
    if (asked)
        plussi_bound_free(asked);
    plussi_ctx_clear(&quiet);
    return status;
}

void plussi_pipeline_warn_of_schedule(plussi_ctx *ctx, const plussi_record_block *block)
{
    plussi_report(ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, &block->loc,
                  "the private reuse intervals of '%s' are recorded with another schedule than is "
                  "asked for: its nest is walked instead",
                  block->region);
}

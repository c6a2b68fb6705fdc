/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "trace/counted.h"
#include "trace/make_timelines.h"
#include "trace/timeline_phases.h"

static bool on_demand(const plussi_bound *bound)
{
    for (uint32_t i = 0; i < bound->n_loops; i++) {
        const plussi_bound_node *loop = bound->loop[i];
        plussi_schedule_kind kind = loop ? loop->u.loop.schedule.kind : PLUSSI_SCHED_STATIC;
        if (loop && loop->u.loop.workshare && kind != PLUSSI_SCHED_STATIC &&
            kind != PLUSSI_SCHED_RECORDED)
            return true;
    }
    return false;
}

static double all_of(const plussi_timeline_thread *t)
{
    return t->n ? t->point[t->n - 1].done : 0;
}

static bool scale_thread(plussi_arena *arena, double accesses, plussi_timeline_thread *t)
{
    plussi_timeline_point *point = plussi_arena_alloc(arena, t->n, sizeof *point);
    double factor = accesses / all_of(t);
    for (size_t i = 0; i < t->n && point; i++)
        point[i] = (plussi_timeline_point){t->point[i].time, t->point[i].done * factor};
    t->point = point;
    return point != NULL;
}

/* *scaled: number of threads with another number of accesses than recorded. */
static pluss_status fit_phase(plussi_ctx *ctx, const plussi_counted *counted,
                              const plussi_timeline_phase *from, plussi_arena *arena,
                              plussi_timeline_phase *out, uint64_t *scaled)
{
    uint32_t team = plussi_counted_team(counted);
    /* a team counts only threads with iterations */
    *out = (plussi_timeline_phase){.team = from->team, .loop = plussi_counted_loop(counted)};
    bool serial = team <= 1;
    for (uint32_t k = from->team; k < team && !serial; k++) {
        double accesses;
        size_t n;
        (void)plussi_counted_runs(counted, k, &n, &accesses);
        if (accesses > 0)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                               "the recorded progress is of a team of %u threads, the nest of %u",
                               from->team, team);
    }
    out->thread = plussi_arena_alloc(arena, from->team, sizeof *out->thread);
    if (!out->thread)
        return PLUSS_ENOMEM;
    for (uint32_t k = 0; k < from->team; k++) {
        double accesses = 0;
        size_t n;
        out->thread[k] = from->thread[k];
        if (k < team)
            (void)plussi_counted_runs(counted, k, &n, &accesses);
        if (accesses <= 0 || all_of(&out->thread[k]) <= 0 || all_of(&out->thread[k]) == accesses)
            continue;
        ++*scaled;
        if (!scale_thread(arena, accesses, &out->thread[k]))
            return PLUSS_ENOMEM;
    }
    return PLUSS_OK;
}

static pluss_status fit_timelines(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_timeline *timeline, plussi_timelines *out)
{
    plussi_counted *counted = NULL;
    plussi_phases phases = {.mem = &ctx->mem};
    uint64_t scaled = 0;
    bool more = true;
    pluss_status status = plussi_counted_new(ctx, bound, 0, &counted);
    while (!status && more) {
        plussi_timeline_phase phase;
        status = plussi_counted_next(counted, &more);
        if (status || !more)
            break;
        status = fit_phase(ctx, counted, &timeline->phase[phases.n % timeline->n_phases],
                           &out->arena, &phase, &scaled);
        if (!status)
            status = plussi_phases_add(&phases, &phase);
    }
    plussi_counted_free(counted);
    if (!status)
        status = plussi_phases_keep(&phases, &out->arena, &out->run[0]);
    plussi_free(&ctx->mem, phases.phase);
    if (!status && scaled)
        plussi_report(
            ctx, PLUSSI_WARNING, PLUSS_EINVAL, NULL,
            "the recorded progress is of other numbers of accesses, and is scaled: in %llu "
            "phases of threads",
            (unsigned long long)scaled);
    return status;
}

pluss_status plussi_fit_timeline(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_timeline *timeline, plussi_timelines **out)
{
    plussi_timelines *timelines = NULL;
    if (timeline->n_phases == 0)
        return plussi_fail(ctx, PLUSS_EEMPTY, NULL, "the recorded progress has no phases");
    pluss_status status = plussi_timelines_new(ctx, 1, &timelines);
    if (status)
        return status;
    if (on_demand(bound))
        timelines->run[0] = *timeline;
    else
        status = fit_timelines(ctx, bound, timeline, timelines);
    if (status) {
        plussi_timelines_free(timelines);
        return status;
    }
    timelines->n = 1;
    *out = timelines;
    return PLUSS_OK;
}

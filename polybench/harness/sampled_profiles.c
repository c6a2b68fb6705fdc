/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include "sampled_profiles.h"

#include "base/linemap.h"
#include "harness.h"
#include "study/locality.h"
#include "study/stage.h"
#include "trace/walk.h"

enum { MET = 1, REUSED };

typedef struct sampler {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    sampling_rate rate;
    plussi_locality *locality;
    plussi_linemap met; /* lines of the interval's first T_p accesses */
    uint64_t lines, reused, in_interval, to_pass;
    uint64_t profiled, all; /* accesses */
} sampler;

static pluss_status begin_interval(sampler *s)
{
    plussi_linemap_clear(&s->met);
    s->lines = s->reused = s->in_interval = 0;
    return plussi_locality_empty(s->locality);
}

static pluss_status profile(sampler *s, const plussi_cache_access *access)
{
    const uint64_t line = access->address / s->bound->line_bytes;
    uint64_t *state = plussi_linemap_at(&s->met, line);
    if (!state)
        return PLUSS_ENOMEM;
    s->profiled++;
    s->in_interval++;
    if (*state == MET) {
        *state = REUSED;
        s->reused++;
    } else if (!*state && s->in_interval <= s->rate.profiled) {
        *state = MET;
        s->lines++;
    }
    pluss_status status = plussi_locality_run(s->locality, access, 1);
    if (s->in_interval >= s->rate.profiled &&
        (double)s->reused >= s->rate.pruning * (double)s->lines)
        s->to_pass = s->rate.passed;
    return status;
}

static pluss_status take(sampler *s, const plussi_access *a)
{
    const plussi_bound_ref *ref = &s->bound->ref[a->ref]->u.ref;
    const plussi_cache_access access = {.address = a->line,
                                        .reference = a->ref,
                                        .thread = a->thread,
                                        .bytes = (uint32_t)ref->width,
                                        .write = ref->write};
    s->all++;
    if (s->to_pass == 0)
        return profile(s, &access);
    return --s->to_pass == 0 ? begin_interval(s) : PLUSS_OK;
}

static pluss_status run(sampler *s, const plussi_request *request)
{
    static plussi_access batch[PLUSSI_BATCH];
    plussi_walk *walk;
    plussi_merge *merge;
    pluss_status status = plussi_walk_new(s->ctx, s->bound, request->seed, &walk);
    if (status)
        return status;
    plussi_walk_give_addresses(walk);
    status = plussi_merge_new(s->ctx, walk, &request->progress, request->seed, &merge);
    if (!status) {
        for (size_t n; !status && (n = plussi_merge_next(merge, batch, PLUSSI_BATCH)) > 0;)
            for (size_t i = 0; i < n && !status; i++)
                status = take(s, &batch[i]);
        if (!status)
            status = plussi_walk_status(walk);
        plussi_merge_free(merge);
    }
    plussi_walk_free(walk);
    return status;
}

pluss_status sampled_profiles(plussi_ctx *ctx, const plussi_nest *nest,
                              const plussi_request *request, uint32_t team,
                              const sampling_rate *rate, plussi_result *out, double *seconds)
{
    plussi_bound *bound;
    const double before = harness_processor_seconds();
    pluss_status status = plussi_pipeline_bind(ctx, nest, request, team, &bound);
    if (status)
        return status;
    sampler s = {.ctx = ctx, .bound = bound, .rate = *rate};
    plussi_linemap_init(&s.met, &ctx->mem);
    status = plussi_locality_new(ctx, bound->max_team, bound->line_bytes, &s.locality);
    if (!status)
        status = run(&s, request);
    const plussi_identity id = {.team = team, .line_bytes = bound->line_bytes};
    if (!status)
        status =
            plussi_locality_add_profiles(s.locality, &id, (double)s.profiled / (double)s.all, out);
    plussi_locality_free(s.locality);
    plussi_linemap_free(&s.met);
    plussi_bound_free(bound);
    *seconds += harness_processor_seconds() - before;
    return status;
}

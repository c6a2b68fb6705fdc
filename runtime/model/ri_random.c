/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/ri_random.h"

#include "base/linemap.h"
#include "model/model.h"
#include "sampler/walking.h"
#include "trace/walk.h"

enum { BATCH = 512 };

static pluss_status collect_intervals(plussi_ctx *ctx, plussi_effort *effort,
                                      const plussi_walk *walk, plussi_merge *merge,
                                      plussi_linemap *last, plussi_histo *out)
{
    /* of an access; memory for the lines around it, and for a new interval */
    enum { STEPS = 8, PAGE = 400, BIN = 40 };
    plussi_access batch[BATCH];
    uint64_t now = 0, cold = 0, paid = 0;
    for (size_t n = 1; n > 0;) {
        pluss_status status = plussi_trace_next(plussi_merge_trace(merge), batch, BATCH, &n);
        if (status != PLUSS_OK)
            return status;
        if (!plussi_effort_pay(effort, n * STEPS + last->n_pages * PAGE + out->n * BIN - paid))
            return plussi_walk_status(walk) ? plussi_walk_status(walk) : plussi_walk_refuse(ctx);
        paid = last->n_pages * PAGE + out->n * BIN;
        for (size_t i = 0; i < n; i++) {
            uint64_t *touched = plussi_linemap_at(last, batch[i].line);
            if (!touched)
                return PLUSS_ENOMEM;
            now++;
            if (*touched)
                status = plussi_histo_add(out, now - *touched, 1);
            else
                cold++;
            if (status != PLUSS_OK)
                return status;
            *touched = now;
        }
    }
    out->cold = (double)cold;
    return PLUSS_OK;
}

pluss_status plussi_ri_random(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                              plussi_effort *effort, plussi_histo *out)
{
    plussi_walk *walk;
    plussi_merge *merge;
    pluss_status status = plussi_check_walk(ctx, bound, effort, NULL);
    if (status == PLUSS_OK)
        status = plussi_walk_new_bounded(ctx, bound, seed, effort, &walk);
    if (status != PLUSS_OK)
        return status;
    status = plussi_merge_new(ctx, walk, &(plussi_progress){0}, seed, &merge);
    if (status != PLUSS_OK) {
        plussi_walk_free(walk);
        return status;
    }
    plussi_linemap last;
    plussi_histo made;
    plussi_linemap_init(&last, &ctx->mem);
    plussi_histo_init(&made, &out->mem);
    status = collect_intervals(ctx, effort, walk, merge, &last, &made);
    plussi_linemap_free(&last);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
    if (status != PLUSS_OK) {
        plussi_histo_free(&made);
        return status;
    }
    plussi_histo_free(out);
    *out = made;
    return PLUSS_OK;
}

static pluss_status run_ri_random(plussi_ctx *ctx, const plussi_model_input *input,
                                  plussi_estimate *out)
{
    plussi_histo *intervals = &out->profile.histo;
    pluss_status status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_INTERVAL,
                                              PLUSSI_SCOPE_CONCURRENT, 0, &out->profile);
    if (!status)
        status = plussi_ri_random(ctx, input->bound, input->seed, input->walk, intervals);
    out->footprint = intervals->cold;
    return status;
}

extern const plussi_model plussi_model_ri_random;
const plussi_model plussi_model_ri_random = {
    .name = "ri-random",
    .summary = "reuse intervals of one random interleaving, walked",
    .run = run_ri_random};

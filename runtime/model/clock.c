/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/clock.h"

#include <math.h>
#include <string.h>

#include "model/clock_state.h"

enum { DRAWS = 16 }; /* accesses of a long window that are looked at */

plussi_clock_options plussi_clock_defaults(void)
{
    return (plussi_clock_options){.samples = 4000, .survey = 12000, .replications = 4, .seed = 1};
}

static pluss_status curve(plussi_ctx *ctx, const plussi_clock_plan *plan, plussi_mrc *out)
{
    plussi_histo rd;
    plussi_histo_init(&rd, &ctx->mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < plan->n && !status; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        if (x->cold)
            rd.cold += x->weight;
        else
            status = plussi_histo_add(&rd, (uint64_t)ceil(x->distance - 1e-9) - 1, x->weight);
    }
    if (!status)
        status = plussi_mrc_from_rd(ctx, &rd, out);
    plussi_histo_free(&rd);
    return status;
}

static pluss_status run_all(plussi_clock_run *run, plussi_clock_result *out)
{
    plussi_clock_plan plan;
    pluss_status status = plussi_clock_survey(run, &plan);
    if (status)
        return status;
    for (size_t i = 0; i < plan.n; i++) {
        plussi_clock_sample *x = &plan.sample[i];
        plussi_engine_nth(run->scan, x->number, &run->spot);
        plussi_clock_window(run);
        x->cold = run->cold;
        x->interval = run->interval;
        x->listed = !x->cold && x->interval - 1 <= PLUSSI_CLOCK_LISTED;
        if (!x->cold && (x->listed || run->options->form == PLUSSI_CLOCK_SD))
            x->lines = plussi_clock_distance(run, DRAWS);
        x->cross = !x->cold && run->source_phase != run->phase;
    }
    out->evaluated = plan.n;
    status = plussi_clock_aet(run->ctx, &plan);
    if (!status && run->options->form == PLUSSI_CLOCK_SD)
        status = plussi_clock_calibrate(run->ctx, &plan);
    for (size_t i = 0; i < plan.n; i++) {
        plussi_clock_sample *x = &plan.sample[i];
        if (!x->cold && x->listed)
            x->distance = x->lines + 1;
    }
    if (!status)
        status = curve(run->ctx, &plan, &out->mrc);
    plussi_clock_plan_free(&run->ctx->mem, &plan);
    return status;
}

pluss_status plussi_clock(plussi_ctx *ctx, const plussi_bound *bound,
                          const plussi_clock_options *options, plussi_clock_result *out)
{
    plussi_engine *engine;
    pluss_status status = plussi_engine_new(ctx, bound, NULL, &engine);
    if (status)
        return status;
    plussi_clock_run run = {.ctx = ctx, .options = options, .engine = engine};
    run.team = plussi_engine_team(engine);
    plussi_rng_seed(&run.rng, options->seed, 0);
    plussi_clock_result result = {.mem = ctx->mem};
    status = plussi_scan_new(ctx, engine, &run.scan);
    run.thread = plussi_calloc(&ctx->mem, run.team, sizeof *run.thread);
    if (!run.thread)
        status = PLUSS_ENOMEM;
    if (!status && plussi_engine_accesses(engine) == 0)
        status = plussi_fail(ctx, PLUSS_EINVALID, NULL, "the nest makes no access");
    if (!status)
        status = run_all(&run, &result);
    plussi_free(&ctx->mem, run.thread);
    plussi_scan_free(run.scan);
    plussi_engine_free(engine);
    if (!status)
        *out = result;
    return status;
}

void plussi_clock_result_free(plussi_clock_result *result)
{
    plussi_mrc_free(&result->mrc);
    plussi_free(&result->mem, result->size);
    plussi_free(&result->mem, result->error);
    *result = (plussi_clock_result){.mem = result->mem};
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The models: what each makes of a bound nest.
 */
#include "study/stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cri.h"
#include "model/cri_line.h"
#include "model/ri_random.h"
#include "report/sink.h"

static pluss_status start_intervals(plussi_ctx *ctx, plussi_profile_scope scope, size_t n_parts,
                                    plussi_profile *out)
{
    return plussi_profile_init(&ctx->mem, PLUSSI_METRIC_INTERVAL, scope, n_parts, out);
}

/* Each thread's own cache: from its private intervals, those of all threads together. */
static pluss_status own_caches(plussi_ctx *ctx, plussi_prediction *job, plussi_profile *profile,
                               plussi_curve *out)
{
    if (job->sharers != 1)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "caches that %u threads share are predicted by the model clock alone",
                           job->sharers);
    double cold = 0;
    pluss_status status = plussi_pipeline_collect(ctx, job);
    if (!status)
        status = start_intervals(ctx, PLUSSI_SCOPE_PRIVATE, job->pri->n_refs, profile);
    for (uint32_t i = 0; !status && i < job->pri->n_refs; i++) {
        status = plussi_histo_merge(&profile->histo, &job->pri->ref[i].histo, 1);
        if (!status)
            status = plussi_histo_merge(&profile->part[i].histo, &job->pri->ref[i].histo, 1);
        cold += job->pri->ref[i].histo.cold;
    }
    out->footprint_lines = (uint64_t)llround(cold);
    return status;
}

/* A model that is symbolic in the team: two formulas on private intervals. */
static pluss_status symbolic(plussi_ctx *ctx, plussi_prediction *job,
                             pluss_status (*model)(plussi_ctx *ctx, const plussi_pri *pri,
                                                   uint32_t T, const plussi_cri_params *params,
                                                   plussi_histo *out),
                             plussi_profile *profile, plussi_curve *out)
{
    if (job->sharers)
        return own_caches(ctx, job, profile, out);
    pluss_status status = plussi_pipeline_collect(ctx, job);
    if (!status)
        status = start_intervals(ctx, PLUSSI_SCOPE_CONCURRENT, 0, profile);
    if (!status)
        status = model(ctx, job->pri, job->bound->team, NULL, &profile->histo);
    out->footprint_lines = (uint64_t)llround(profile->histo.cold);
    return status;
}

static pluss_status predict_cri(plussi_ctx *ctx, plussi_prediction *job, plussi_profile *profile,
                                plussi_curve *out)
{
    return symbolic(ctx, job, plussi_cri, profile, out);
}

static pluss_status predict_cri_line(plussi_ctx *ctx, plussi_prediction *job,
                                     plussi_profile *profile, plussi_curve *out)
{
    return symbolic(ctx, job, plussi_cri_line, profile, out);
}

static pluss_status predict_ri_random(plussi_ctx *ctx, plussi_prediction *job,
                                      plussi_profile *profile, plussi_curve *out)
{
    if (job->sharers)
        return own_caches(ctx, job, profile, out);
    pluss_status status = start_intervals(ctx, PLUSSI_SCOPE_CONCURRENT, 0, profile);
    if (!status)
        status = plussi_ri_random(ctx, job->bound, job->request->seed, job->walk, &profile->histo);
    out->footprint_lines = (uint64_t)llround(profile->histo.cold);
    return status;
}

/* The error falls before the caller's eyes, where he asked for one. */
static int ask(void *user, double done, double error)
{
    const plussi_prediction *job = user;
    char stage[128] = "predict";
    if (job->request->error_target > 0 && error >= 0) {
        char now[PLUSSI_NUMBER], aim[PLUSSI_NUMBER];
        plussi_text_fixed(now, 100 * error, 2);
        plussi_text_fixed(aim, 100 * job->request->error_target, 2);
        snprintf(stage, sizeof stage, "predict, T = %u, standard error %s of %s points",
                 job->bound->team, now, aim);
    }
    return plussi_pipeline_ask(job->request, stage, job->done + job->part * done, 0) != PLUSS_OK;
}

enum { RUNS = 32 };  /* that the spread is told from, uniform progress */
enum { DRAWS = 16 }; /* of rates; of recorded runs at least so many, each as often */

/* Draws and runs differ from one another, so that there must be some of them, with some samples
 * each; and windows that lag are not stationary. */
static void regard_draws(plussi_clock_options *options)
{
    enum { MOST = 64 };
    bool recorded = options->progress.law == PLUSSI_PROGRESS_RECORDED;
    uint32_t runs = plussi_progress_draws(&options->progress, recorded ? UINT32_MAX : DRAWS);
    if (!recorded && runs < 2)
        return;
    if (options->form == PLUSSI_CLOCK_AUTO)
        options->form = PLUSSI_CLOCK_SD;
    if (runs < 2)
        return;
    options->replications = runs >= MOST ? MOST : runs * ((DRAWS + runs - 1) / runs);
    options->survey *= 2;
    options->samples *= 2;
}

static pluss_status clock_of_form(plussi_ctx *ctx, plussi_prediction *job, plussi_clock_form form,
                                  plussi_profile *profile, plussi_curve *out)
{
    plussi_clock_options options = plussi_clock_defaults();
    options.form = form;
    options.seed = job->request->seed;
    options.sharers = job->sharers;
    options.effort = job->effort;
    options.runs = job->request->spread ? RUNS : 0;
    options.ask = job->request->ask ? ask : NULL;
    options.ask_user = job;
    options.progress = job->request->progress;
    if (job->request->error_target > 0)
        options.error = job->request->error_target;
    plussi_clock_result result;
    plussi_fitted fitted = {0};
    plussi_timelines *drawn = NULL;
    pluss_status status = PLUSS_OK;
    if (options.progress.law == PLUSSI_PROGRESS_RECORDED) {
        status = plussi_pipeline_fit(ctx, job->bound, job->request, &fitted);
        options.progress.timelines = &fitted.all;
    } else if (plussi_pipeline_has_loops(job->request, job->bound)) {
        status = plussi_pipeline_draw(ctx, job->bound, job->request, DRAWS, &drawn);
    }
    if (drawn)
        options.progress = (plussi_progress){.law = PLUSSI_PROGRESS_RECORDED, .timelines = drawn};
    if (!status)
        regard_draws(&options);
    if (!status)
        status = plussi_clock(ctx, job->bound, &options, &result);
    plussi_pipeline_unfit(ctx, &fitted);
    plussi_timelines_free(drawn);
    if (status)
        return status;
    *out = (plussi_curve){.footprint_lines = (uint64_t)llround(result.footprint),
                          .footprint_error = (uint64_t)ceil(result.footprint_error),
                          .mrc = result.mrc,
                          .mean_error = result.mean_error,
                          .n_error = result.n_points,
                          .error_size = result.size,
                          .error = result.error,
                          .spread = result.spread};
    out->mrc.accesses = round(out->mrc.accesses);
    *profile = result.profile;
    result.profile = (plussi_profile){.mem = ctx->mem}; /* moved, and so are curve and errors */
    result.mrc = (plussi_mrc){0};
    result.size = result.error = result.spread = NULL;
    if (job->request->explain)
        status = plussi_pipeline_explain(ctx, job->bound, &result, out);
    plussi_clock_result_free(&result);
    return status;
}

static pluss_status predict_clock(plussi_ctx *ctx, plussi_prediction *job, plussi_profile *profile,
                                  plussi_curve *out)
{
    return clock_of_form(ctx, job, PLUSSI_CLOCK_AUTO, profile, out);
}

static pluss_status predict_clock_ri(plussi_ctx *ctx, plussi_prediction *job,
                                     plussi_profile *profile, plussi_curve *out)
{
    return clock_of_form(ctx, job, PLUSSI_CLOCK_RI, profile, out);
}

static pluss_status predict_clock_sd(plussi_ctx *ctx, plussi_prediction *job,
                                     plussi_profile *profile, plussi_curve *out)
{
    return clock_of_form(ctx, job, PLUSSI_CLOCK_SD, profile, out);
}

/* The first is the default. */
static const plussi_model models[] = {
    {"clock", "Poisson clocks sampled in closed form, at a cost that does not grow", predict_clock,
     "ri-random", true, true, true},
    {"clock-ri", "the same, distances always from intervals alone", predict_clock_ri, "ri-random",
     true, true, true},
    {"clock-sd", "the same, distances always corrected by counts of lines", predict_clock_sd,
     "ri-random", true, true, true},
    {"cri-line", "PACT'24's composition, decided by cache line", predict_cri_line, NULL, false,
     false, false},
    {"cri", "PACT'24's composition as published: dilation and racetrack", predict_cri, NULL, false,
     false, false},
    {"ri-random", "reuse intervals of one random interleaving, walked", predict_ri_random, NULL,
     false, false, false},
    {"lines", "Poisson clocks over the accesses that a sampler kept of some lines",
     plussi_pipeline_lines, NULL, false, false, false},
};

const plussi_model *plussi_model_at(size_t i)
{
    return i < sizeof models / sizeof *models ? &models[i] : NULL;
}

const char *plussi_model_name(const plussi_model *model)
{
    return model->name;
}

const char *plussi_model_summary(const plussi_model *model)
{
    return model->summary;
}

const plussi_model *plussi_pipeline_model(const char *name)
{
    const plussi_model *model;
    if (!name)
        return plussi_model_at(0);
    for (size_t i = 0; (model = plussi_model_at(i)); i++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}

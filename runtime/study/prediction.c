/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model, or what stands in for it, at every team.
 */
#include "base/effort.h"
#include "study/stage.h"

#include <stdio.h>
#include <string.h>

/* The source of all regions; NULL where they are of several. */
static const char *only_file(const plussi_nest *nest)
{
    const char *file = nest->first_region ? nest->first_region->loc.file : NULL;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        if (!plussi_same_text(r->loc.file, file))
            return NULL;
    return file;
}

static bool is_told(const plussi_ctx *ctx, size_t from, const plussi_loc *loc, const char *text)
{
    for (size_t i = from; i < ctx->n_diags; i++) {
        const plussi_diag *d = &ctx->diags[i];
        if (plussi_same_text(d->file, loc->file) && d->line == loc->line && d->col == loc->col &&
            strncmp(d->text, text, strlen(text)) == 0)
            return true;
    }
    return false;
}

/* What the model that was tried first had to say: why it could not is a warning, once for all
 * teams, as another takes its place. */
static void tell(plussi_ctx *ctx, const plussi_prediction *job, const plussi_ctx *tried,
                 const plussi_model *instead)
{
    for (size_t i = 0; i < tried->n_diags; i++) {
        const plussi_diag *d = &tried->diags[i];
        plussi_loc loc = {d->file, d->line, d->col};
        if (!loc.file && loc.line) /* a place in the region's file */
            loc.file = only_file(job->nest);
        if (instead && is_told(ctx, job->first_diag, &loc, d->text))
            continue;
        if (instead && d->severity == PLUSSI_ERROR)
            plussi_report(ctx, PLUSSI_WARNING, d->status, &loc, "%s; predicted by %s instead",
                          d->text, instead->name);
        else
            plussi_report(ctx, d->severity, d->status, &loc, "%s", d->text);
    }
    ctx->n_dropped += tried->n_dropped;
}

/* Once for all teams. */
static void warn_once(plussi_ctx *ctx, const plussi_prediction *job, const plussi_model *model,
                      const char *what)
{
    const plussi_loc nowhere = {0};
    char text[128];
    snprintf(text, sizeof text, "the model %s %s", model->name, what);
    if (!is_told(ctx, job->first_diag, &nowhere, text))
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL, "%s", text);
}

/* Where the model clock itself has not said why. */
static void tell_no_spread(plussi_ctx *ctx, const plussi_prediction *job, const plussi_model *model)
{
    const plussi_request *request = job->request;
    char what[100];
    if (!model->follows)
        warn_once(ctx, job, model, "does not tell how far single runs are from their mean");
    else if (request->progress.law != PLUSSI_PROGRESS_UNIFORM) {
        snprintf(what, sizeof what,
                 "does not tell how far single runs are from their mean with progress '%s'%s",
                 plussi_progress_name(request->progress.law),
                 request->progress.law == PLUSSI_PROGRESS_RECORDED ? " in one run" : "");
        warn_once(ctx, job, model, what);
    }
}

/* What was asked for, and the model that predicted has no use for. */
static void tell_ignored(plussi_ctx *ctx, const plussi_prediction *job, const plussi_model *model,
                         const plussi_curve *curve)
{
    if (job->request->explain && !model->explains)
        warn_once(ctx, job, model, "does not tell why its curves fall");
    if (job->request->spread && !curve->spread)
        tell_no_spread(ctx, job, model);
    if (job->request->error_target > 0 && !model->samples)
        warn_once(ctx, job, model, "does not sample: the error asked for has no effect");
    if (job->request->collect_team && !job->pri->team)
        warn_once(ctx, job, model,
                  "collects no private reuse intervals: the team to collect them with has no "
                  "effect");
}

/* What predicts in place of a model that cannot. */
static const char *stand_in(plussi_ctx *ctx, const plussi_prediction *job,
                            const plussi_model *model)
{
    const plussi_record_block *block = job->request->block;
    plussi_ctx quiet; /* the model that was tried could bind the nest */
    bool holds = false;
    plussi_ctx_init(&quiet, &ctx->mem);
    if (block && (plussi_pipeline_as_recorded(&quiet, job->nest, job->request, &holds) || !holds)) {
        if (plussi_record_has_intervals(block))
            plussi_pipeline_other_schedule(ctx, block);
        block = NULL;
    }
    plussi_ctx_clear(&quiet);
    if (block && block->lines && job->request->record && job->bound->team == block->team)
        return "lines";
    return block && plussi_record_has_intervals(block) ? "cri-line" : model->otherwise;
}

static pluss_status predict_team(plussi_ctx *ctx, const plussi_model *model, plussi_prediction *job,
                                 plussi_result *result)
{
    plussi_curve curve = {0};
    plussi_profile profile = {.mem = ctx->mem};
    plussi_ctx tried;
    plussi_ctx_init(&tried, &ctx->mem);
    pluss_status status = model->predict(&tried, job, &profile, &curve);
    /* the others' threads progress uniformly */
    bool uniform = job->request->progress.law == PLUSSI_PROGRESS_UNIFORM;
    bool other =
        (status == PLUSS_EUNSUPPORTED || status == PLUSS_ELIMIT) && model->otherwise && uniform;
    const plussi_model *instead = other ? plussi_pipeline_model(stand_in(ctx, job, model)) : NULL;
    tell(ctx, job, &tried, instead);
    plussi_ctx_clear(&tried);
    if (instead) {
        /* nobody has asked for a walk of any length. What was refused for what it is has taken no
         * steps, what was refused for its steps has taken most of them. */
        plussi_effort effort = {.left = status == PLUSS_ELIMIT ? job->effort / 3 : job->effort};
        model = instead;
        job->walk = &effort;
        plussi_profile_free(&profile);
        plussi_curve_free(&ctx->mem, &curve);
        status = model->predict(ctx, job, &profile, &curve);
        job->walk = NULL;
    }
    if (status) {
        plussi_profile_free(&profile);
        plussi_curve_free(&ctx->mem, &curve);
        return status;
    }
    tell_ignored(ctx, job, model, &curve);
    char engine[160], progress[128];
    plussi_progress_write(&job->request->progress, progress, sizeof progress);
    curve.id.threads_per_cache = job->sharers;
    snprintf(engine, sizeof engine, uniform ? "%s" : "%s, %s", model->name, progress);
    return plussi_pipeline_add(ctx, job->bound, job->request, false, engine, &profile, &curve,
                               result);
}

/* All the caches that are asked for, at one team. */
static pluss_status predict_caches(plussi_ctx *ctx, const plussi_model *model,
                                   plussi_prediction *job, plussi_result *result)
{
    uint32_t *sharers = NULL;
    size_t n = 0;
    pluss_status status = plussi_pipeline_sharers(ctx, job->request, job->bound, &sharers, &n);
    for (size_t i = 0; i < n && !status; i++) {
        job->sharers = sharers[i];
        job->part = 1 / (double)(job->request->n_teams * n);
        status = predict_team(ctx, model, job, result);
        job->done += job->part;
    }
    plussi_free(&ctx->mem, sharers);
    return status;
}

/* As the first of the recorded runs had it, where there are any. */
static pluss_status bind(plussi_ctx *ctx, const plussi_nest *nest, const plussi_request *request,
                         uint32_t team, plussi_bound **out)
{
    plussi_request as = *request;
    if (request->progress.law == PLUSSI_PROGRESS_RECORDED)
        plussi_pipeline_as_run(request, 0, &as);
    return plussi_pipeline_bind(ctx, nest, &as, team, out);
}

pluss_status plussi_pipeline_predict(plussi_ctx *ctx, const plussi_nest *nest,
                                     const plussi_request *request, plussi_result *out)
{
    const plussi_model *model = plussi_pipeline_model(request->model);
    if (!model)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "there is no model '%s'", request->model);
    if (request->progress.law != PLUSSI_PROGRESS_UNIFORM && !model->follows)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "the model %s has no thread progress but uniform", model->name);
    pluss_status status = plussi_progress_check(ctx, &request->progress);
    if (status)
        return status;
    if (request->explain && !model->explains)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "the model %s does not tell why its curves fall", model->name);
    const size_t first_diag = ctx->n_diags;
    plussi_pri pri = {0};
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    for (size_t i = 0; i < request->n_teams && !status; i++) {
        plussi_bound *bound = NULL;
        status = plussi_pipeline_ask(request, "predict", (double)i / (double)request->n_teams, 0);
        if (!status)
            status = bind(ctx, nest, request, request->team[i], &bound);
        if (!status)
            status = predict_caches(
                ctx, model,
                &(plussi_prediction){.nest = nest,
                                     .request = request,
                                     .bound = bound,
                                     .pri = &pri,
                                     .effort =
                                         request->effort ? request->effort : PLUSSI_DEFAULT_EFFORT,
                                     .first_diag = first_diag,
                                     .done = (double)i / (double)request->n_teams},
                &result);
        if (bound)
            plussi_bound_free(bound);
    }
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    if (pri.team)
        plussi_pri_free(&pri);
    return status;
}

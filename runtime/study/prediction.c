/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model, or what stands in for it, at every team.
 */
#include "base/effort.h"
#include "report/sink.h"
#include "sampler/walking.h"
#include "study/stage.h"

#include <inttypes.h>
#include <math.h>
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
    if (!(model->gives & PLUSSI_GIVES_PROGRESS))
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
static void tell_ignored(plussi_ctx *ctx, const plussi_prediction *job, const plussi_curve *curve)
{
    const plussi_model *model = job->model;
    if (job->request->explain && !(model->gives & PLUSSI_GIVES_ATTRIBUTION))
        warn_once(ctx, job, model, "does not tell why its curves fall");
    if (job->request->formulas && !(model->gives & PLUSSI_GIVES_FORMULAS))
        warn_once(ctx, job, model, "gives no formulas");
    if (job->request->spread && !curve->spread)
        tell_no_spread(ctx, job, model);
    if (job->request->error_target > 0 && !(model->gives & PLUSSI_GIVES_ERROR))
        warn_once(ctx, job, model, "does not sample: the error asked for has no effect");
    if (job->request->levels_asked_for && job->levels->hierarchies.n &&
        !(model->gives & PLUSSI_GIVES_LEVELS))
        warn_once(ctx, job, model, "does not predict caches of sets and ways");
    if (job->request->collect_team && !job->pri->team)
        warn_once(ctx, job, model,
                  "collects no private reuse intervals: the team to collect them with has no "
                  "effect");
}

/* The error is shown on the way, where one is asked for. */
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
    return plussi_pipeline_ask(job->request, stage, job->done + job->part * (done > 0 ? done : 0),
                               0) != PLUSS_OK;
}

/* ---- what a model takes ---------------------------------------------------------------------- */

/* All that a model's input refers to and that is made for it. */
typedef struct prepared {
    plussi_progress progress;
    plussi_fitted fitted;
    plussi_timelines *drawn;
    plussi_sampled_trace sampled;
    plussi_histo untraced;
    bool has_sampled;
} prepared;

static pluss_status prepare_progress(plussi_ctx *ctx, const plussi_prediction *job, prepared *p)
{
    pluss_status status = PLUSS_OK;
    p->progress = job->request->progress;
    if (p->progress.law == PLUSSI_PROGRESS_RECORDED) {
        status = plussi_pipeline_fit(ctx, job->bound, job->request, &p->fitted);
        p->progress.timelines = &p->fitted.all;
    } else if (plussi_pipeline_has_loop_rates(job->request, job->bound)) {
        status = plussi_pipeline_draw_timelines(ctx, job->bound, job->request, PLUSSI_MODEL_DRAWS,
                                                &p->drawn);
    }
    if (p->drawn)
        p->progress = (plussi_progress){.law = PLUSSI_PROGRESS_RECORDED, .timelines = p->drawn};
    return status;
}

/* Locality profiles at the two team sizes that models take, once for all predictions of a nest. */
static pluss_status collect_locality(plussi_ctx *ctx, plussi_prediction *job)
{
    static const uint32_t team[] = {PLUSSI_SCALE_FROM, PLUSSI_SCALE_TO};
    plussi_request bare = *job->request;
    if (job->locality->n_profiles)
        return PLUSS_OK;
    if (bare.n_recorded)
        return plussi_fail(
            ctx, PLUSS_EUNSUPPORTED, NULL,
            "the model %s walks with %u and %u threads, which a recorded schedule is "
            "not of",
            job->model->name, team[0], team[1]);
    bare.team = team;
    bare.n_teams = sizeof team / sizeof *team;
    bare.n_caches = 0;
    bare.levels.hierarchy.n = 0;
    bare.machine_levels = bare.profiles = false;
    bare.sharing = true;
    return plussi_pipeline_simulate(ctx, job->nest, &bare, job->locality);
}

static pluss_status prepare(plussi_ctx *ctx, plussi_prediction *job, prepared *p)
{
    pluss_status status = PLUSS_OK;
    if (job->model->takes & PLUSSI_TAKES_INTERVALS)
        status = plussi_pipeline_collect(ctx, job);
    if (!status && (job->model->takes & PLUSSI_TAKES_TRACE)) {
        status = plussi_pipeline_sampled(ctx, job, &p->sampled, &p->untraced);
        p->has_sampled = !status;
    }
    if (!status && (job->model->takes & PLUSSI_TAKES_LOCALITY))
        status = collect_locality(ctx, job);
    if (!status && (job->model->gives & PLUSSI_GIVES_PROGRESS))
        status = prepare_progress(ctx, job, p);
    else if (job->model->gives & PLUSSI_GIVES_RATES)
        p->progress = job->request->progress;
    return status;
}

static void free_prepared(plussi_ctx *ctx, prepared *p)
{
    plussi_pipeline_unfit(ctx, &p->fitted);
    plussi_timelines_free(p->drawn);
    if (p->has_sampled) {
        plussi_sampled_trace_free(&p->sampled);
        plussi_histo_free(&p->untraced);
    }
}

/* Each hierarchy may take as much as one prediction, or a few times that if nobody has said how
 * much. */
static uint64_t allow_for(const plussi_prediction *job, size_t n_hierarchies)
{
    enum { TIMES = 4 };
    const uint64_t n = n_hierarchies ? n_hierarchies : 1;
    const uint64_t times = n_hierarchies && !job->request->effort ? TIMES * n : n;
    return job->effort > UINT64_MAX / times ? job->effort : job->effort * times;
}

static pluss_status run_model(plussi_ctx *ctx, plussi_prediction *job, plussi_estimate *out)
{
    const plussi_request *request = job->request;
    prepared p = {0};
    const size_t n_hierarchies = job->apart ? 0 : job->levels->hierarchies.n;
    pluss_status status = prepare(ctx, job, &p);
    const plussi_model_input input = {.bound = job->bound,
                                      .intervals = job->pri,
                                      .trace = &p.sampled,
                                      .untraced = &p.untraced,
                                      .locality = job->locality->profile,
                                      .n_locality = job->locality->n_profiles,
                                      .progress = &p.progress,
                                      .threads_per_cache = job->threads_per_cache,
                                      .hierarchy = job->levels->hierarchies.of,
                                      .n_hierarchies = n_hierarchies,
                                      .rough = job->request->coarse > 0,
                                      .coarse = job->coarse,
                                      .seed = request->seed,
                                      .error = request->error_target,
                                      .by_reference = request->profiles,
                                      .formulas = request->formulas,
                                      .cells = request->cells != NULL,
                                      .spread = request->spread,
                                      .workers = request->workers,
                                      .spare = request->spare,
                                      .kept = job->kept,
                                      .effort = allow_for(job, n_hierarchies),
                                      .walk = job->walk,
                                      .ask = request->ask.fn ? ask : NULL,
                                      .ask_user = job};
    if (!status)
        status = job->model->run(ctx, &input, out);
    free_prepared(ctx, &p);
    return status;
}

/* A model that knows nothing of shared caches: each thread's own follows from its intervals. */
static pluss_status run_any(plussi_ctx *ctx, plussi_prediction *job, plussi_estimate *out)
{
    if (!job->threads_per_cache || (job->model->gives & PLUSSI_GIVES_SHARED))
        return run_model(ctx, job, out);
    if (job->threads_per_cache != 1)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "the model %s does not predict caches that %u of the threads share",
                           job->model->name, job->threads_per_cache);
    pluss_status status = plussi_pipeline_collect(ctx, job);
    return status ? status : plussi_private_caches(ctx, job->pri, job->request->profiles, out);
}

/* ---- what predicts in place of a model that cannot ------------------------------------------- */

/* What the request's block has, of what models take: as it was recorded. */
static unsigned at_hand(plussi_ctx *ctx, const plussi_prediction *job)
{
    const plussi_record_block *block = job->request->block;
    plussi_ctx quiet; /* the model that was tried could bind the nest */
    bool holds = false;
    if (!block)
        return 0;
    plussi_ctx_init(&quiet, &ctx->mem);
    if (plussi_pipeline_has_recorded_schedule(&quiet, job->nest, job->request, &holds))
        holds = false;
    plussi_ctx_clear(&quiet);
    bool intervals = !job->request->filled && plussi_record_has_intervals(block);
    if (!holds) {
        if (intervals)
            plussi_pipeline_warn_of_schedule(ctx, block);
        return 0;
    }
    bool trace = block->lines && job->request->record && job->bound->team == block->default_team;
    return (intervals ? PLUSSI_TAKES_INTERVALS : 0u) | (trace ? PLUSSI_TAKES_TRACE : 0u);
}

static const plussi_model *find_stand_in(plussi_ctx *ctx, const plussi_prediction *job)
{
    const plussi_model *const *one = job->model->stand_in;
    if (!*one)
        return NULL;
    unsigned have = at_hand(ctx, job);
    while (*one && ((*one)->takes & ~have))
        one++;
    return *one;
}

/* The recorded intervals are of accesses that the nest does not have: those of a model that nobody
 * has asked for by name. */
static const plussi_model *find_more(plussi_ctx *ctx, const plussi_prediction *job)
{
    const plussi_request *request = job->request;
    if (request->model || !request->block || request->filled ||
        job->model->takes & PLUSSI_TAKES_INTERVALS ||
        request->progress.law != PLUSSI_PROGRESS_UNIFORM ||
        !plussi_record_has_sites(request->block, job->bound->n_refs) ||
        !(at_hand(ctx, job) & PLUSSI_TAKES_INTERVALS))
        return NULL;
    return find_stand_in(ctx, job);
}

/* The model, or what stands in for it: job->model is then that. */
static pluss_status estimate(plussi_ctx *ctx, plussi_prediction *job, plussi_estimate *out)
{
    plussi_ctx tried;
    plussi_ctx_init(&tried, &ctx->mem);
    plussi_effort asked_for = {.left = plussi_walk_effort(job->request->effort)};
    job->walk = &asked_for;
    const plussi_model *more = find_more(ctx, job);
    job->model = more ? more : job->model;
    pluss_status status = run_any(&tried, job, out);
    /* the others' threads progress uniformly */
    bool other = (status == PLUSS_EUNSUPPORTED || status == PLUSS_ELIMIT) &&
                 job->request->progress.law == PLUSSI_PROGRESS_UNIFORM;
    const plussi_model *instead = other ? find_stand_in(ctx, job) : NULL;
    tell(ctx, job, &tried, instead);
    plussi_ctx_clear(&tried);
    if (!instead)
        return status;
    /* nobody has asked for a walk of any length. What was refused for what it is has taken no
     * steps, what was refused for its steps has taken most of them. */
    plussi_effort effort = {.left = status == PLUSS_ELIMIT ? job->effort / 3 : job->effort};
    job->model = instead;
    job->walk = &effort;
    plussi_estimate_free(out);
    return run_any(ctx, job, out);
}

/* ---- one team, one cache --------------------------------------------------------------------- */

/* Moves what the curve has of the estimate, whose profile is left. */
static pluss_status to_curve(plussi_ctx *ctx, const plussi_prediction *job, plussi_estimate *from,
                             plussi_curve *out)
{
    pluss_status status =
        from->mrc.size ? PLUSS_OK : plussi_pipeline_curve(ctx, &from->profile, &from->mrc);
    if (status)
        return status;
    *out = (plussi_curve){.id.threads_per_cache = job->threads_per_cache,
                          .footprint_lines = (uint64_t)llround(from->footprint),
                          .footprint_error = (uint64_t)ceil(from->footprint_error),
                          .mrc = from->mrc,
                          .mean_error = from->mean_error,
                          .n_error = from->n_points,
                          .error_size = from->size,
                          .error = from->error,
                          .spread = from->spread};
    out->mrc.accesses = round(out->mrc.accesses);
    if (job->model->takes & PLUSSI_TAKES_INTERVALS)
        for (uint32_t i = job->pri->n_refs - job->pri->n_sites; i < job->pri->n_refs; i++)
            out->site_accesses += plussi_histo_total(&job->pri->ref[i].histo);
    out->formula = from->formula;
    out->n_formulas = from->n_formulas;
    from->formula = NULL;
    from->n_formulas = 0;
    from->mrc = (plussi_mrc){0};
    from->size = from->error = from->spread = NULL;
    bool attributed = job->request->explain && (job->model->gives & PLUSSI_GIVES_ATTRIBUTION);
    return attributed ? plussi_pipeline_explain(ctx, job->bound, from, out) : PLUSS_OK;
}

/* Moves the estimate's cells, or makes them of its profile. */
static pluss_status take_cells(plussi_estimate *from, plussi_cells *out)
{
    if (from->cells.accesses > 0) {
        plussi_cells_free(out);
        *out = from->cells;
        plussi_cells_init(&from->cells, &from->mem);
        return PLUSS_OK;
    }
    pluss_status status = plussi_cells_add_profile(out, &from->profile);
    plussi_cells_list(out);
    return status;
}

static pluss_status predict_team(plussi_ctx *ctx, const plussi_model *model, plussi_prediction *job,
                                 plussi_result *result)
{
    plussi_curve curve = {0};
    plussi_estimate made;
    plussi_estimate_init(&made, &ctx->mem);
    job->model = model;
    pluss_status status = estimate(ctx, job, &made);
    if (!status && job->request->cells)
        status = take_cells(&made, job->request->cells);
    if (!status)
        status = to_curve(ctx, job, &made, &curve);
    if (status) {
        plussi_curve_free(&ctx->mem, &curve);
    } else {
        char engine[160], progress[128];
        bool uniform = job->request->progress.law == PLUSSI_PROGRESS_UNIFORM;
        tell_ignored(ctx, job, &curve);
        plussi_progress_write(&job->request->progress, progress, sizeof progress);
        snprintf(engine, sizeof engine, uniform ? "%s" : "%s, %s", job->model->name, progress);
        status = plussi_take_levels(ctx, job->bound, job->levels, &made);
        if (status)
            plussi_curve_free(&ctx->mem, &curve);
        else
            status = plussi_pipeline_add(ctx, job->bound, job->request, false, engine,
                                         &made.profile, &curve, result);
    }
    plussi_estimate_free(&made);
    return status;
}

/* Each cache of the level is one thread's, and its sets are searched. */
static bool is_own(const plussi_prediction *job, const plussi_hierarchy *h, size_t i)
{
    const uint32_t team = job->bound->max_team;
    return (team == 1 || plussi_level_threads(h, i, team) == 1) && plussi_level_is_searched(h, i);
}

/* Why the misses of level i are not predicted; NULL: they are. *which: the level that is so. */
static const char *why_not(const plussi_prediction *job, const plussi_hierarchy *h, size_t i,
                           size_t *which)
{
    const plussi_cache_level *l = &h->level[i], *before = i > 0 ? l - 1 : NULL;
    const bool own = is_own(job, h, i), after_own = before && is_own(job, h, i - 1);
    *which = i;
    if (l->inclusion == PLUSSI_INCLUSION_EXCLUSIVE && !(own && after_own))
        return "exclusive, and threads share it, or it has no sets";
    if (l->no_write_allocate && !before && !own)
        return "no-write-allocate, and threads share it, or it has no sets";
    if (l->no_write_allocate && before &&
        (before->write_through || (i == 1 && before->no_write_allocate)))
        return "no-write-allocate, after a level that passes writes on";
    *which = i - 1;
    return before && before->write_through && !after_own
               ? "write-through, and threads share it, or it has no sets"
               : NULL;
}

/* Warns where a level is shared by threads whose own caches hold half of it or more: which lines
 * these keep then settles what it misses (docs/models.md, "Levels that threads share"). */
static void tell_small_level(plussi_ctx *ctx, const plussi_prediction *job,
                             const plussi_hierarchy *h, size_t i)
{
    const plussi_loc nowhere = {0};
    const uint32_t team = job->bound->max_team, some = plussi_level_threads(h, i, team);
    const uint32_t threads = some ? some : team;
    char text[192];
    if (i == 0 || threads < 2 || !is_own(job, h, i - 1) ||
        h->level[i].bytes >= 2 * (uint64_t)threads * h->level[i - 1].bytes)
        return;
    snprintf(text, sizeof text,
             "cache %s is less than twice as large as the %" PRIu32
             " %s caches before it together: its misses may be off by more than the error that is "
             "stated",
             h->level[i].name, threads, h->level[i - 1].name);
    if (!is_told(ctx, job->first_diag, &nowhere, text))
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_OK, NULL, "%s", text);
}

/* Levels before the first one whose misses the prediction cannot tell; warns of it. */
static size_t find_predictable(plussi_ctx *ctx, const plussi_prediction *job,
                               const plussi_hierarchy *h)
{
    const plussi_loc nowhere = {0};
    for (size_t i = 0; i < h->n; i++) {
        size_t which;
        const char *why = why_not(job, h, i, &which);
        char text[192];
        if (!why) {
            tell_small_level(ctx, job, h, i);
            continue;
        }
        snprintf(
            text, sizeof text, "cache %s is %s: misses of %s%s are not predicted, only simulated",
            h->level[which].name, why, h->level[i].name, i + 1 < h->n ? " and later levels" : "");
        if (!is_told(ctx, job->first_diag, &nowhere, text))
            plussi_report(ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL, "%s", text);
        return i;
    }
    return h->n;
}

/* Why there are no levels; the status where they were asked for. */
static pluss_status tell_no_levels(plussi_ctx *ctx, const plussi_prediction *job,
                                   const plussi_ctx *tried, pluss_status status)
{
    const plussi_loc nowhere = {0};
    const plussi_diag *d = tried->n_diags ? &tried->diags[tried->n_diags - 1] : NULL;
    char text[256];
    if (status == PLUSS_ENOMEM || status == PLUSS_ECANCELLED)
        return status;
    snprintf(text, sizeof text, "caches of sets and ways are not predicted: %s",
             d ? d->text : plussi_status_text(status));
    if (job->request->levels_asked_for)
        return plussi_fail(ctx, status, NULL, "%s", text);
    if (!is_told(ctx, job->first_diag, &nowhere, text))
        plussi_report(ctx, PLUSSI_NOTE, status, NULL, "%s", text);
    return PLUSS_OK;
}

/* The levels of caches of which no curve is asked for. */
static pluss_status predict_levels(plussi_ctx *ctx, const plussi_model *model,
                                   plussi_prediction *job, uint32_t threads_per_cache)
{
    const plussi_request *request = job->request;
    plussi_request bare = *request;
    plussi_estimate made;
    plussi_ctx tried;
    bare.explain = bare.spread = bare.profiles = false;
    plussi_estimate_init(&made, &ctx->mem);
    plussi_ctx_init(&tried, &ctx->mem);
    job->request = &bare;
    job->model = model;
    job->threads_per_cache = threads_per_cache;
    pluss_status status = estimate(&tried, job, &made);
    job->request = request;
    if (!status)
        status = plussi_take_levels(ctx, job->bound, job->levels, &made);
    else
        status = tell_no_levels(ctx, job, &tried, status);
    plussi_estimate_free(&made);
    plussi_ctx_clear(&tried);
    return status;
}

/* All the caches that are asked for, at one team. */
static pluss_status predict_caches(plussi_ctx *ctx, const plussi_model *model,
                                   plussi_prediction *job, plussi_result *result)
{
    enum { QUARTER = 4 };
    uint32_t *threads_per_cache = NULL, other[PLUSSI_LEVELS_MOST];
    size_t n = 0, n_others = 0;
    plussi_predicted_levels levels = {0};
    const plussi_hierarchy *h = &levels.hierarchies.of[0]; /* but for ways they are alike */
    const uint32_t team = plussi_largest_team(job->bound);
    pluss_status status =
        plussi_pipeline_threads_per_cache(ctx, job->request, team, &threads_per_cache, &n);
    if (!status && plussi_request_has_levels(job->request))
        status = plussi_levels_of_request(ctx, job->request, team, &levels.hierarchies);
    /* nobody asked for them: the curves stay as they are, and a prediction stays cheap */
    job->apart = !job->request->levels_asked_for && !job->request->coarse;
    if (!status && levels.hierarchies.n)
        n_others = plussi_pipeline_other_levels(&levels.hierarchies, job->bound, threads_per_cache,
                                                job->apart ? 0 : n, other);
    job->coarse = job->request->coarse;
    job->levels = &levels;
    job->part = 1 / (double)(job->request->n_teams * (n + n_others));
    for (size_t i = 0; i < n && !status; i++) {
        job->threads_per_cache = threads_per_cache[i];
        status = predict_team(ctx, model, job, result);
        job->done += job->part;
    }
    bool given = job->model && (job->model->gives & PLUSSI_GIVES_LEVELS);
    job->coarse = job->apart ? QUARTER : job->coarse;
    job->apart = false;
    for (size_t i = 0; i < n_others && given && !status; i++) {
        status = predict_levels(ctx, model, job, other[i]);
        job->done += job->part;
    }
    if (!status && levels.hierarchies.n) {
        const plussi_curve *curve = &result->curve[result->n - 1];
        status = plussi_add_predicted_levels(ctx, job->bound, &curve->id, curve->mrc.accesses,
                                             given ? find_predictable(ctx, job, h) : h->n, &levels,
                                             result);
    }
    plussi_predicted_levels_free(ctx, &levels);
    plussi_free(&ctx->mem, threads_per_cache);
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

static pluss_status predict_bound(plussi_ctx *ctx, const plussi_model *model, plussi_prediction job,
                                  uint32_t team, plussi_result *result)
{
    plussi_kept_program kept;
    pluss_status status = plussi_pipeline_begin_kept(ctx, job.nest, job.request, team, &kept);
    job.kept = kept.store ? &kept : NULL;
    if (!status)
        status = predict_caches(ctx, model, &job, result);
    plussi_pipeline_end_kept(&kept);
    return status;
}

pluss_status plussi_pipeline_predict(plussi_ctx *ctx, const plussi_nest *nest,
                                     const plussi_request *request, plussi_result *out)
{
    const plussi_model *model = plussi_model_named(request->model);
    if (request->lines.n > 1)
        return plussi_pipeline_sweep_lines(ctx, nest, request, plussi_pipeline_predict, out);
    if (!model)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "there is no model '%s'", request->model);
    const bool rates = request->progress.law == PLUSSI_PROGRESS_RATES;
    const unsigned needed = PLUSSI_GIVES_PROGRESS | (rates ? PLUSSI_GIVES_RATES : 0u);
    if (request->progress.law != PLUSSI_PROGRESS_UNIFORM && !(model->gives & needed))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "the model %s has no thread progress but uniform", model->name);
    pluss_status status = plussi_progress_check(ctx, &request->progress);
    if (status)
        return status;
    if (request->explain && !(model->gives & PLUSSI_GIVES_ATTRIBUTION))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "the model %s does not tell why its curves fall", model->name);
    const size_t first_diag = ctx->n_diags;
    plussi_pri pri = {0};
    plussi_result result, locality;
    plussi_result_init(&result, &ctx->mem);
    plussi_result_init(&locality, &ctx->mem);
    for (size_t i = 0; i < request->n_teams && !status; i++) {
        plussi_bound *bound = NULL;
        const size_t first = result.n_levels;
        status = plussi_pipeline_ask(request, "predict", (double)i / (double)request->n_teams, 0);
        if (!status)
            status = bind(ctx, nest, request, request->team[i], &bound);
        if (!status)
            status =
                predict_bound(ctx, model,
                              (plussi_prediction){.nest = nest,
                                                  .request = request,
                                                  .bound = bound,
                                                  .locality = &locality,
                                                  .pri = &pri,
                                                  .effort = request->effort ? request->effort
                                                                            : PLUSSI_DEFAULT_EFFORT,
                                                  .first_diag = first_diag,
                                                  .done = (double)i / (double)request->n_teams},
                              request->team[i], &result);
        if (!status)
            status = plussi_pipeline_tell_instructions(ctx, nest, request, request->team[i], first,
                                                       &result);
        if (bound)
            plussi_bound_free(bound);
    }
    if (!status)
        status = plussi_pipeline_ask(request, "predict", 1, 0);
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    plussi_result_free(&locality);
    if (pri.team)
        plussi_pri_free(&pri);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lru/lru.h"
#include "model/clock.h"
#include "model/cri.h"
#include "model/cri_line.h"
#include "model/ri_random.h"
#include "report/describe.h"
#include "report/sink.h"

static const char no_accesses[] = "with these values the program has no accesses";

/* ---- file -> nests --------------------------------------------------------------------------- */

void plussi_found_free(const plussi_mem *mem, plussi_found *found, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        plussi_nest_free(found[i].nest);
        plussi_free(mem, found[i].origin);
        plussi_free(mem, found[i].symbol);
    }
    plussi_free(mem, found);
}

static pluss_status parse_all(plussi_ctx *ctx, plussi_texts *texts, plussi_found *found)
{
    pluss_status first = PLUSS_OK;
    for (size_t i = 0; i < texts->n; i++) {
        plussi_text *text = &texts->text[i];
        pluss_status status =
            plussi_nest_parse(ctx, text->text, text->length, text->origin, &found[i].nest);
        if (status == PLUSS_ENOMEM)
            return status;
        if (status && !first)
            first = status;
        found[i].origin = text->origin;
        text->origin = NULL;
        found[i].presence = text->presence;
        if (text->symbol) {
            found[i].symbol = plussi_strndup(&ctx->mem, text->symbol, strlen(text->symbol));
            if (!found[i].symbol)
                return PLUSS_ENOMEM;
        }
    }
    return first;
}

pluss_status plussi_pipeline_read(plussi_ctx *ctx, const char *path, plussi_found **out, size_t *n)
{
    plussi_texts texts;
    pluss_status status = plussi_object_read(ctx, path, &texts);
    if (status)
        return status;
    plussi_found *found = plussi_calloc(&ctx->mem, texts.n, sizeof *found);
    status = found ? parse_all(ctx, &texts, found) : PLUSS_ENOMEM;
    if (status && found) {
        plussi_found_free(&ctx->mem, found, texts.n);
    } else if (!status) {
        *out = found;
        *n = texts.n;
    }
    plussi_texts_free(&texts);
    return status;
}

/* ---- nest -> numbers ------------------------------------------------------------------------- */

static pluss_status bind_nest(plussi_ctx *ctx, const plussi_nest *nest,
                              const plussi_request *request, uint32_t team, plussi_bound **out)
{
    plussi_bind_options options = {.team = team,
                                   .line_bytes = request->line_bytes,
                                   .binding = request->binding,
                                   .n_bindings = request->n_bindings,
                                   .schedule = request->schedule,
                                   .chunk = request->chunk,
                                   .force_schedule = request->schedule != PLUSSI_SCHED_NONE};
    return plussi_bind(ctx, nest, &options, out);
}

static pluss_status ask(const plussi_request *request, const char *stage, double done,
                        uint64_t steps)
{
    if (request->progress && request->progress(request->progress_user, stage, done, steps) != 0)
        return PLUSS_ECANCELLED;
    return PLUSS_OK;
}

/* ---- curves with what they stand for --------------------------------------------------------- */

static char *schedule_text(plussi_ctx *ctx, const plussi_request *request)
{
    static const char *const kind[] = {
        [PLUSSI_SCHED_NONE] = "",
        [PLUSSI_SCHED_STATIC] = "static",
        [PLUSSI_SCHED_DYNAMIC] = "dynamic",
        [PLUSSI_SCHED_GUIDED] = "guided",
    };
    char text[48];
    int length = snprintf(text, sizeof text, request->chunk > 0 ? "%s, %lld" : "%s",
                          kind[request->schedule], (long long)request->chunk);
    return plussi_strndup(&ctx->mem, text, (size_t)length);
}

/* Adds the curve that has these numbers (mrc, footprint, errors), and takes them in any case. */
static pluss_status add_curve(plussi_ctx *ctx, const plussi_bound *bound,
                              const plussi_request *request, bool simulated, const char *engine,
                              const plussi_curve *numbers, plussi_result *result)
{
    plussi_curve curve = *numbers;
    curve.simulated = simulated;
    curve.seed = request->seed;
    curve.engine = plussi_strndup(&ctx->mem, engine, strlen(engine));
    curve.schedule = schedule_text(ctx, request);
    pluss_status status = curve.engine && curve.schedule ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = plussi_curve_describe(ctx, bound, request->binding, request->n_bindings, &curve);
    if (!status)
        status = plussi_result_add(result, &curve);
    if (status)
        plussi_curve_free(&ctx->mem, &curve);
    return status;
}

/* ---- exact: walk, merge, stack distances ----------------------------------------------------- */

const char *plussi_interleave_name(plussi_interleave kind)
{
    static const char *const name[] = {
        [PLUSSI_INTERLEAVE_UNIFORM] = "uniform",       [PLUSSI_INTERLEAVE_ROUND_ROBIN] = "rr",
        [PLUSSI_INTERLEAVE_BURST] = "burst",           [PLUSSI_INTERLEAVE_SPEEDS] = "speeds",
        [PLUSSI_INTERLEAVE_SEQUENTIAL] = "sequential",
    };
    return (unsigned)kind < sizeof name / sizeof *name ? name[kind] : NULL;
}

const char *plussi_pace_name(plussi_clock_progress pace)
{
    static const char *const name[] = {
        [PLUSSI_CLOCK_UNIFORM] = "uniform", [PLUSSI_CLOCK_SPEEDS] = "speeds",
        [PLUSSI_CLOCK_BURST] = "burst",     [PLUSSI_CLOCK_LOCKSTEP] = "lockstep",
        [PLUSSI_CLOCK_MIXED] = "mixed",
    };
    return (unsigned)pace < sizeof name / sizeof *name ? name[pace] : NULL;
}

/* "burst:8", "speeds:0.03". */
static void parametric_text(const char *name, double value, char *out, size_t room)
{
    char param[PLUSSI_NUMBER];
    bool parametric = strcmp(name, "burst") == 0 || strcmp(name, "speeds") == 0;
    for (size_t n = plussi_text_fixed(param, value, 6);
         param[n - 1] == '0' || param[n - 1] == '.';) {
        bool point = param[--n] == '.';
        param[n] = '\0';
        if (point)
            break;
    }
    snprintf(out, room, parametric ? "%s:%s" : "%s", name, param);
}

/* Touches by distance; distances are below the footprint, so an array is smallest and fastest. */
typedef struct distances {
    uint64_t *count;
    size_t n;
    uint64_t cold;
} distances;

enum { BATCH = 4096, ASK_EVERY = 256 /* batches */ };

static pluss_status count_distance(plussi_ctx *ctx, distances *d, uint64_t distance)
{
    if (distance == PLUSSI_LRU_COLD) {
        d->cold++;
        return PLUSS_OK;
    }
    if (distance == PLUSSI_LRU_FAIL)
        return PLUSS_ENOMEM;
    if (distance >= d->n) {
        size_t n = d->n ? d->n : 1024;
        while (n <= distance)
            n *= 2;
        uint64_t *grown = plussi_realloc(&ctx->mem, d->count, n, sizeof *grown);
        if (!grown)
            return PLUSS_ENOMEM;
        memset(grown + d->n, 0, (n - d->n) * sizeof *grown);
        d->count = grown;
        d->n = n;
    }
    d->count[distance]++;
    return PLUSS_OK;
}

static pluss_status count_all(plussi_ctx *ctx, const plussi_request *request, plussi_walk *walk,
                              plussi_merge *merge, plussi_lru *lru, distances *d)
{
    plussi_access batch[BATCH];
    uint64_t accesses = 0;
    for (uint64_t round = 0;; round++) {
        size_t n = plussi_merge_next(merge, batch, BATCH);
        if (n == 0)
            return plussi_walk_status(walk);
        for (size_t i = 0; i < n; i++) {
            pluss_status status = count_distance(ctx, d, plussi_lru_touch(lru, batch[i].line));
            if (status)
                return status;
        }
        accesses += n;
        if (round % ASK_EVERY == 0) {
            pluss_status status = ask(request, "simulate", -1, accesses);
            if (status)
                return status;
        }
    }
}

static pluss_status distances_to_mrc(plussi_ctx *ctx, const distances *d, plussi_mrc *out)
{
    plussi_histo histo;
    plussi_histo_init(&histo, &ctx->mem);
    histo.cold = (double)d->cold;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < d->n && !status; i++)
        if (d->count[i])
            status = plussi_histo_add(&histo, i, (double)d->count[i]);
    if (!status && d->cold == 0)
        status = plussi_fail(ctx, PLUSS_EINVALID, NULL, "%s", no_accesses);
    if (!status)
        status = plussi_mrc_from_rd(ctx, &histo, out);
    plussi_histo_free(&histo);
    return status;
}

static pluss_status simulate_team(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_request *request, plussi_result *result)
{
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    plussi_lru *lru = NULL;
    distances d = {0};
    plussi_curve curve = {0};
    char engine[48];
    parametric_text(plussi_interleave_name(request->interleave), request->interleave_param, engine,
                    sizeof engine);
    pluss_status status = plussi_walk_new(ctx, bound, request->seed, &walk);
    if (!status)
        status = plussi_merge_new(ctx, walk, request->interleave, request->interleave_param,
                                  request->seed, &merge);
    if (!status)
        status = plussi_lru_new(ctx, &lru);
    if (!status)
        status = count_all(ctx, request, walk, merge, lru, &d);
    if (!status)
        status = distances_to_mrc(ctx, &d, &curve.mrc);
    curve.footprint_lines = d.cold;
    if (!status)
        status = add_curve(ctx, bound, request, true, engine, &curve, result);
    plussi_free(&ctx->mem, d.count);
    if (lru)
        plussi_lru_free(lru);
    if (merge)
        plussi_merge_free(merge);
    if (walk)
        plussi_walk_free(walk);
    return status;
}

pluss_status plussi_pipeline_simulate(plussi_ctx *ctx, const plussi_nest *nest,
                                      const plussi_request *request, plussi_result *out)
{
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < request->n_teams && !status; i++) {
        plussi_bound *bound = NULL;
        status = bind_nest(ctx, nest, request, request->team[i], &bound);
        if (!status)
            status = simulate_team(ctx, bound, request, &result);
        if (bound)
            plussi_bound_free(bound);
    }
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    return status;
}

/* ---- predicted: private intervals, model, curve ---------------------------------------------- */

/* One prediction, and what models may share with the ones before. */
typedef struct prediction {
    const plussi_nest *nest;
    const plussi_request *request;
    const plussi_bound *bound; /* at the team that is predicted */
    plussi_pri *pri;           /* of the prediction before; team 0: none */
    size_t first_diag;         /* of this call */
} prediction;

struct plussi_model {
    const char *name, *summary;
    /* fills mrc, footprint_lines, errors if it tells them */
    pluss_status (*predict)(plussi_ctx *ctx, prediction *job, plussi_curve *out);
    const char *otherwise; /* predicts what this one cannot take; NULL: none */
    bool paces;            /* knows how threads progress other than uniformly */
};

/* The private reuse intervals at the team asked for: those of the prediction before where they are
 * the same. */
static pluss_status collect(plussi_ctx *ctx, prediction *job)
{
    uint32_t team = job->request->collect_team ? job->request->collect_team : job->bound->team;
    if (job->pri->team == team)
        return PLUSS_OK;
    if (job->pri->team)
        plussi_pri_free(job->pri);
    job->pri->team = 0;
    plussi_bound *bound = NULL;
    pluss_status status = bind_nest(ctx, job->nest, job->request, team, &bound);
    plussi_pri pri;
    if (!status)
        status = plussi_pri_walk(ctx, bound, job->request->seed, &pri);
    if (!status)
        *job->pri = pri;
    if (bound)
        plussi_bound_free(bound);
    return status;
}

static pluss_status intervals_to_curve(plussi_ctx *ctx, const plussi_histo *ri, plussi_curve *out)
{
    if (!(plussi_histo_total(ri) > 0))
        return plussi_fail(ctx, PLUSS_EINVALID, NULL, "%s", no_accesses);
    pluss_status status = plussi_mrc_from_ri(ctx, ri, &out->mrc);
    if (status)
        return status;
    /* both are whole numbers, but for the rounding of a sum of weights */
    out->mrc.accesses = round(out->mrc.accesses);
    out->footprint_lines = (uint64_t)llround(ri->cold);
    return PLUSS_OK;
}

/* A model that is symbolic in the team: two formulas on private intervals. */
static pluss_status symbolic(plussi_ctx *ctx, prediction *job,
                             pluss_status (*model)(plussi_ctx *ctx, const plussi_pri *pri,
                                                   uint32_t T, const plussi_cri_params *params,
                                                   plussi_histo *out),
                             plussi_curve *out)
{
    plussi_histo ri;
    plussi_histo_init(&ri, &ctx->mem);
    pluss_status status = collect(ctx, job);
    if (!status)
        status = model(ctx, job->pri, job->bound->team, NULL, &ri);
    if (!status)
        status = intervals_to_curve(ctx, &ri, out);
    plussi_histo_free(&ri);
    return status;
}

static pluss_status predict_cri(plussi_ctx *ctx, prediction *job, plussi_curve *out)
{
    return symbolic(ctx, job, plussi_cri, out);
}

static pluss_status predict_cri_line(plussi_ctx *ctx, prediction *job, plussi_curve *out)
{
    return symbolic(ctx, job, plussi_cri_line, out);
}

static pluss_status predict_ri_random(plussi_ctx *ctx, prediction *job, plussi_curve *out)
{
    plussi_histo ri;
    plussi_histo_init(&ri, &ctx->mem);
    pluss_status status = plussi_ri_random(ctx, job->bound, job->request->seed, &ri);
    if (!status)
        status = intervals_to_curve(ctx, &ri, out);
    plussi_histo_free(&ri);
    return status;
}

static pluss_status predict_clock(plussi_ctx *ctx, prediction *job, plussi_curve *out)
{
    plussi_clock_options options = plussi_clock_defaults();
    options.seed = job->request->seed;
    options.progress = job->request->pace;
    options.param = job->request->pace_param;
    if (job->request->error_target > 0)
        options.error = job->request->error_target;
    plussi_clock_result result;
    pluss_status status = plussi_clock(ctx, job->bound, &options, &result);
    if (status)
        return status;
    *out = (plussi_curve){.footprint_lines = (uint64_t)llround(result.footprint),
                          .mrc = result.mrc,
                          .mean_error = result.mean_error,
                          .n_error = result.n_points,
                          .error_size = result.size,
                          .error = result.error};
    out->mrc.accesses = round(out->mrc.accesses);
    result.mrc = (plussi_mrc){0}; /* moved, and so are the errors */
    result.size = result.error = NULL;
    plussi_clock_result_free(&result);
    return PLUSS_OK;
}

/* The first is the default. */
static const plussi_model models[] = {
    {"clock", "Poisson clocks sampled in closed form, at a cost that does not grow", predict_clock,
     "ri-random", true},
    {"cri-line", "PACT'24's composition, decided by cache line", predict_cri_line, NULL, false},
    {"cri", "PACT'24's composition as published: dilation and racetrack", predict_cri, NULL, false},
    {"ri-random", "reuse intervals of one random interleaving, walked", predict_ri_random, NULL,
     false},
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

static const plussi_model *find_model(const char *name)
{
    const plussi_model *model;
    if (!name)
        return plussi_model_at(0);
    for (size_t i = 0; (model = plussi_model_at(i)); i++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The source of all regions; NULL where they are of several. */
static const char *only_file(const plussi_nest *nest)
{
    const char *file = nest->first_region ? nest->first_region->loc.file : NULL;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        if (!same_text(r->loc.file, file))
            return NULL;
    return file;
}

static bool is_told(const plussi_ctx *ctx, size_t from, const plussi_loc *loc, const char *text)
{
    for (size_t i = from; i < ctx->n_diags; i++) {
        const plussi_diag *d = &ctx->diags[i];
        if (same_text(d->file, loc->file) && d->line == loc->line && d->col == loc->col &&
            strncmp(d->text, text, strlen(text)) == 0)
            return true;
    }
    return false;
}

/* What the model that was tried first had to say: why it could not is a warning, once for all
 * teams, as another takes its place. */
static void tell(plussi_ctx *ctx, const prediction *job, const plussi_ctx *tried,
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

static pluss_status predict_team(plussi_ctx *ctx, const plussi_model *model, prediction *job,
                                 plussi_result *result)
{
    plussi_curve curve = {0};
    plussi_ctx tried;
    plussi_ctx_init(&tried, &ctx->mem);
    pluss_status status = model->predict(&tried, job, &curve);
    /* the others' threads progress uniformly */
    bool uniform = job->request->pace == PLUSSI_CLOCK_UNIFORM;
    bool other = status == PLUSS_EUNSUPPORTED && model->otherwise && uniform;
    const plussi_model *instead = other ? find_model(model->otherwise) : NULL;
    tell(ctx, job, &tried, instead);
    plussi_ctx_clear(&tried);
    if (instead) {
        model = instead;
        status = model->predict(ctx, job, &curve);
    }
    if (status)
        return status;
    char engine[64], pace[48];
    parametric_text(plussi_pace_name(job->request->pace), job->request->pace_param, pace,
                    sizeof pace);
    snprintf(engine, sizeof engine, uniform ? "%s" : "%s, %s", model->name, pace);
    return add_curve(ctx, job->bound, job->request, false, engine, &curve, result);
}

pluss_status plussi_pipeline_predict(plussi_ctx *ctx, const plussi_nest *nest,
                                     const plussi_request *request, plussi_result *out)
{
    const plussi_model *model = find_model(request->model);
    if (!model)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "there is no model '%s'", request->model);
    if (request->pace != PLUSSI_CLOCK_UNIFORM && !model->paces)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "the model %s has no progress of threads but uniform", model->name);
    const size_t first_diag = ctx->n_diags;
    plussi_pri pri = {0};
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < request->n_teams && !status; i++) {
        plussi_bound *bound = NULL;
        status = ask(request, "predict", (double)i / (double)request->n_teams, 0);
        if (!status)
            status = bind_nest(ctx, nest, request, request->team[i], &bound);
        prediction one = {nest, request, bound, &pri, first_diag};
        if (!status)
            status = predict_team(ctx, model, &one, &result);
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

pluss_status plussi_pipeline_pri(plussi_ctx *ctx, const plussi_nest *nest,
                                 const plussi_request *request, plussi_pri *out)
{
    plussi_bound *bound = NULL;
    pluss_status status = bind_nest(ctx, nest, request, request->team[0], &bound);
    if (!status)
        status = plussi_pri_walk(ctx, bound, request->seed, out);
    if (bound)
        plussi_bound_free(bound);
    return status;
}

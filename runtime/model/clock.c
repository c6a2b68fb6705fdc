/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the replications, at the same time where there are workers. Samples are joined in order, so
 * that the result does not depend on the number of workers.
 */
#include "model/clock.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/processors.h"
#include "model/clock_state.h"

enum {
    MAX_REPLICATIONS = 64,
    MAX_ROUNDS = 64,
    PILOTS = 2, /* one in that many replications, at least two, */
    PILOT_DRAWS = 8
};

/* AUTO counts distinct lines if AET is found to be off by more than this, miss ratio. */
static const double most_misfit = 0.004;

plussi_clock_options plussi_clock_defaults(void)
{
    return (plussi_clock_options){.pilot = 16000, .samples = 4800, .replications = 4, .seed = 1};
}

static pluss_status check_options(plussi_ctx *ctx, const plussi_clock_options *o)
{
    const char *what = NULL;
    if (o->replications < 2 || o->replications > MAX_REPLICATIONS)
        what = "the number of replications is not in 2 ... 64";
    else if (o->samples < 16 * o->replications || o->pilot < o->samples || o->pilot > 1 << 26)
        what = "the pilot or the number of samples is out of range";
    else if (o->runs == 1 || o->runs > MAX_REPLICATIONS)
        what = "the number of runs is not 0 or in 2 ... 64";
    else if (o->workers > 1024)
        what = "the number of workers is not in 0 ... 1024";
    else if (o->n_shapes > PLUSSI_LEVELS_MOST)
        what = "more than 8 caches";
    else if (!(o->error >= 0))
        what = "the requested error is negative";
    if (what)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "model clock: %s", what);
    return plussi_progress_check(ctx, &o->progress);
}

/* ---- replications ---------------------------------------------------------------------------- */

/* Replications [first, first + n), each with a context of its own. */
typedef struct batch {
    const plussi_bound *bound;
    const plussi_clock_options *options;
    const plussi_clock_classes *classes;
    uint32_t first, n;
    const plussi_clock_draws *draws;
    plussi_clock_watch *watch;
    plussi_ctx ctx[MAX_REPLICATIONS];
    pluss_status status[MAX_REPLICATIONS];
    plussi_clock_plan plan[MAX_REPLICATIONS];
} batch;

typedef struct worker {
    batch *b;
    uint32_t number, step;
    pthread_t thread;
} worker;

static void *run_worker(void *user)
{
    worker *w = user;
    for (uint32_t i = w->number; i < w->b->n; i += w->step)
        w->b->status[i] =
            plussi_clock_replica(&w->b->ctx[i], w->b->bound, w->b->options, w->b->classes,
                                 w->b->first + i, w->b->draws, w->b->watch, &w->b->plan[i]);
    return NULL;
}

/* How many replications run at once: their memory, without the engine that they share, is at most a
 * gigabyte, or twice what the earlier ones make likely. */
static uint32_t at_a_time(const plussi_clock_used *used)
{
    const size_t most = (size_t)PLUSSI_ATTEMPT_MB << 20;
    size_t each = used->bytes && used->bytes < most / 2 ? 2 * used->bytes : most;
    return 4 * most / each < MAX_REPLICATIONS ? (uint32_t)(4 * most / each) : MAX_REPLICATIONS;
}

/* The calling thread is one of the workers; if no other can be started it does all the work. */
static void run_batch(batch *b, const plussi_clock_used *used)
{
    worker w[MAX_REPLICATIONS];
    bool started[MAX_REPLICATIONS] = {false};
    uint32_t workers = b->options->workers ? b->options->workers : plussi_count_processors();
    uint32_t n = workers < b->n ? workers : b->n, most = at_a_time(used);
    n = n < most ? n : most;
    n = 1 + plussi_spare_take(b->options->spare, n - 1);
    for (uint32_t i = 0; i < n; i++)
        w[i] = (worker){.b = b, .number = i, .step = n};
    for (uint32_t i = 1; i < n; i++)
        started[i] = pthread_create(&w[i].thread, NULL, run_worker, &w[i]) == 0;
    run_worker(&w[0]);
    for (uint32_t i = 1; i < n; i++) {
        if (started[i])
            pthread_join(w[i].thread, NULL);
        else
            run_worker(&w[i]);
    }
    plussi_spare_give(b->options->spare, n - 1);
}

static void note_most(plussi_clock_used *most, const plussi_clock_used *one)
{
    most->steps = one->steps > most->steps ? one->steps : most->steps;
    most->bytes = one->bytes > most->bytes ? one->bytes : most->bytes;
}

/* Appends the batch's samples to the plan's; returns the status and diagnostics of the first
 * failure. */
static pluss_status join_batch(plussi_ctx *ctx, batch *b, plussi_clock_plan *plan)
{
    pluss_status status = PLUSS_OK;
    const size_t n_outcomes = plussi_clock_outcomes(b->options, b->draws);
    size_t n = plan->n;
    for (uint32_t i = 0; i < b->n; i++) {
        n += b->status[i] ? 0 : b->plan[i].n;
        if (status == PLUSS_OK && b->status[i]) {
            status = b->status[i];
            plussi_report_again(ctx, &b->ctx[i]);
        }
    }
    if (!status) {
        plussi_clock_sample *all = plussi_realloc(&ctx->mem, plan->sample, n, sizeof *all);
        status = all ? PLUSS_OK : PLUSS_ENOMEM;
        plan->sample = all ? all : plan->sample;
    }
    if (!status && n_outcomes) {
        plussi_clock_outcome *all =
            plussi_realloc(&ctx->mem, plan->outcome, n * n_outcomes, sizeof *all);
        status = all ? PLUSS_OK : PLUSS_ENOMEM;
        plan->outcome = all ? all : plan->outcome;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        if (!status && b->plan[i].n) {
            memcpy(plan->sample + plan->n, b->plan[i].sample, b->plan[i].n * sizeof *plan->sample);
            plussi_clock_append_outcomes(plan, &b->plan[i], n_outcomes);
            plan->n += b->plan[i].n;
            plan->n_parts = b->plan[i].n_parts;
            plan->accesses = b->plan[i].accesses;
            plan->pilot += b->plan[i].pilot;
            note_most(&plan->used, &b->plan[i].used);
        }
        if (!b->status[i]) {
            plussi_free(&ctx->mem, b->plan[i].sample);
            plussi_free(&ctx->mem, b->plan[i].outcome);
        }
        plussi_ctx_clear(&b->ctx[i]);
    }
    return status;
}

static pluss_status run_replications(plussi_ctx *ctx, const plussi_bound *bound,
                                     const plussi_clock_options *options,
                                     const plussi_clock_classes *classes, uint32_t first,
                                     uint32_t n, const plussi_clock_draws *draws,
                                     plussi_clock_watch *watch, plussi_clock_plan *plan)
{
    batch *b = plussi_calloc(&ctx->mem, 1, sizeof *b);
    if (!b)
        return PLUSS_ENOMEM;
    b->bound = bound;
    b->options = options;
    b->classes = classes;
    b->first = first;
    b->n = n;
    b->draws = draws;
    b->watch = watch;
    for (uint32_t i = 0; i < n; i++)
        plussi_ctx_init(&b->ctx[i], &ctx->mem);
    run_batch(b, &plan->used);
    pluss_status status = join_batch(ctx, b, plan);
    plussi_free(&ctx->mem, b);
    return status;
}

/* ---- from samples to the curve --------------------------------------------------------------- */

/* Each replication is a sample of the whole program; the weights are scaled so that all of them
 * together are one. The cold weight becomes the number of lines that come into the caches, the warm
 * weight the rest. */
static void scale_weights(plussi_clock_plan *plan)
{
    double cold = 0, warm = 0;
    for (size_t i = 0; i < plan->n; i++)
        *(plan->sample[i].cold ? &cold : &warm) += plan->sample[i].drawn;
    for (size_t i = 0; i < plan->n; i++) {
        plussi_clock_sample *x = &plan->sample[i];
        x->weight = x->cold ? x->drawn * plan->firsts.lines / cold
                            : x->drawn * (plan->accesses - plan->firsts.lines) / warm;
    }
}

static pluss_status set_distances(plussi_ctx *ctx, plussi_clock_plan *plan, double footprint)
{
    pluss_status status = plussi_clock_aet(ctx, plan);
    if (!status)
        status = plussi_clock_calibrate(ctx, plan);
    if (status)
        return status;
    for (size_t i = 0; i < plan->n; i++) {
        plussi_clock_sample *x = &plan->sample[i];
        if (!x->cold && x->exact)
            x->distance = x->lines + 1;
        if (!x->cold && x->distance > footprint) /* no more lines than these exist */
            x->distance = footprint;
    }
    return PLUSS_OK;
}

/* Distances are counted from 0: hit where the size is at least the stack distance, 1 or more. */
static uint64_t round_distance(const plussi_clock_sample *x)
{
    const double least = ceil(x->distance - 1e-9);
    return least > 1 ? (uint64_t)least - 1 : 0;
}

/* The samples as cells; their weights are scaled. */
static pluss_status list_cells(const plussi_clock_plan *plan, plussi_cells *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < plan->n && !status; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        if (!x->cold)
            status = plussi_cells_add(out, x->interval, round_distance(x), x->weight);
    }
    out->accesses = plan->accesses;
    out->lines = plan->firsts.lines;
    plussi_cells_list(out);
    return status;
}

/* Adds a reuse at this distance by an access of ref (NULL: unknown, or references are not told
 * apart). */
static pluss_status add_reuse(plussi_profile *profile, const plussi_bound_node *ref,
                              uint64_t distance, double weight)
{
    pluss_status status = plussi_histo_add(&profile->histo, distance, weight);
    if (!status && ref)
        status = plussi_histo_add(&profile->part[ref->id].histo, distance, weight);
    return status;
}

/* The cold weight is the footprint, however many samples are cold. If no sample is warm, all that
 * is known of the warm accesses is that they hit in a cache that holds everything. */
static pluss_status make_profile(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_clock_plan *plan, bool by_reference, double footprint,
                                 plussi_profile *out)
{
    double warm = 0, rest = plan->accesses - plan->firsts.lines;
    pluss_status status =
        plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE, PLUSSI_SCOPE_CONCURRENT,
                            by_reference ? bound->n_refs : 0, out);
    if (status)
        return status;
    out->histo.cold = plan->firsts.lines;
    for (size_t i = 0; i < plan->n; i++)
        warm += plan->sample[i].cold ? 0 : plan->sample[i].weight;
    for (size_t i = 0; i < plan->n && !status; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        const plussi_bound_node *ref = by_reference ? x->ref : NULL;
        if (x->cold) {
            if (ref)
                out->part[ref->id].histo.cold += x->weight;
            continue;
        }
        if (warm > 0)
            status = add_reuse(out, ref, round_distance(x), x->weight * rest / warm);
    }
    if (!status && !(warm > 0) && rest > 0)
        status = add_reuse(out, NULL, (uint64_t)footprint - 1, rest);
    return status;
}

/* Evaluates the standard error at 8 sizes an octave. */
static pluss_status standard_error(plussi_ctx *ctx, plussi_clock_plan *plan, uint32_t replications,
                                   plussi_clock_result *out)
{
    uint64_t *sizes;
    size_t n;
    pluss_status status = plussi_grid_sizes(ctx, PLUSSI_GRID_STRICT,
                                            (uint64_t)out->estimate.footprint, 64, &sizes, &n);
    if (status)
        return status;
    out->estimate.size = plussi_calloc(&ctx->mem, n, sizeof *out->estimate.size);
    out->estimate.error = plussi_calloc(&ctx->mem, n, sizeof *out->estimate.error);
    status = out->estimate.size && out->estimate.error ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++)
        out->estimate.size[i] = (double)sizes[i];
    plussi_free(&ctx->mem, sizes);
    out->estimate.n_points = status ? 0 : n;
    return status ? status : plussi_clock_error(ctx, plan, replications, out);
}

/* The error of the footprint: if more accesses are cold, fewer are warm, and the part of the curve
 * above its end shrinks. */
static void add_cold_error(const plussi_clock_plan *plan, plussi_clock_result *out)
{
    double cold = plan->firsts.lines / plan->accesses, off = plan->firsts.error / plan->accesses;
    for (size_t i = 0; i < out->estimate.n_points && cold < 1; i++) {
        double part =
            off * (1 - plussi_mrc_at(&out->estimate.mrc, out->estimate.size[i])) / (1 - cold);
        out->estimate.error[i] =
            sqrt(out->estimate.error[i] * out->estimate.error[i] + part * part);
    }
}

static void forget_errors(plussi_clock_result *out)
{
    plussi_free(&out->estimate.mem, out->estimate.size);
    plussi_free(&out->estimate.mem, out->estimate.error);
    plussi_free(&out->estimate.mem, out->estimate.spread);
    out->estimate.size = out->estimate.error = out->estimate.spread = NULL;
    out->estimate.n_points = 0;
}

/* Spread over runs: the same accesses are evaluated again in each run. Their distances are scaled
 * by ratios from the curve's samples, which they do not change. */
static pluss_status sampled_runs(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_clock_options *options, plussi_clock_watch *watch,
                                 const plussi_clock_plan *plan, plussi_clock_result *out)
{
    enum { FIRST = 1 << 20 /* replication */ };
    plussi_clock_plan again = {0}, all = *plan;
    all.sample = plussi_alloc(&ctx->mem, plan->n, sizeof *all.sample);
    if (!all.sample)
        return PLUSS_ENOMEM;
    memcpy(all.sample, plan->sample, plan->n * sizeof *all.sample);
    pluss_status status = plussi_clock_positions(ctx, plan, &again);
    if (!status)
        status =
            run_replications(ctx, bound, options, &(plussi_clock_classes){0}, FIRST, options->runs,
                             &(plussi_clock_draws){.every = 1, .again = &again}, watch, &all);
    if (!status)
        status = set_distances(ctx, &all, out->estimate.footprint);
    if (!status)
        status =
            plussi_clock_single_runs(ctx, &all, FIRST, options->runs, again.n, out->estimate.size,
                                     out->estimate.n_points, out->estimate.spread);
    plussi_free(&ctx->mem, again.sample);
    plussi_free(&ctx->mem, all.sample);
    return status;
}

/* Whether the program makes too few accesses for sampling to be faster than walking them. */
static bool are_walked(const plussi_clock_plan *plan, const plussi_clock_options *options)
{
    enum { MOST = 1 << 21 /* accesses of all runs */ };
    return plan->accesses * options->runs <= MOST;
}

/* If this takes more effort than allowed, the curve has no spread. */
static pluss_status spread_of_runs(plussi_ctx *ctx, const plussi_bound *bound,
                                   const plussi_clock_options *options, plussi_clock_watch *watch,
                                   const plussi_clock_plan *plan, plussi_clock_result *out)
{
    plussi_ctx tried;
    plussi_ctx_init(&tried, &ctx->mem);
    pluss_status status =
        are_walked(plan, options)
            ? plussi_clock_walked_runs(&tried, bound, options, watch, plan->accesses,
                                       out->estimate.size, out->estimate.n_points,
                                       out->estimate.spread)
            : sampled_runs(&tried, bound, options, watch, plan, out);
    if (status == PLUSS_ELIMIT) {
        plussi_free(&ctx->mem, out->estimate.spread);
        out->estimate.spread = NULL;
        status = PLUSS_OK;
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_ELIMIT, NULL, "no spread over single runs: %s",
                      tried.n_diags ? tried.diags[0].text : "it takes too many steps");
    }
    plussi_ctx_clear(&tried);
    return status;
}

/* Over draws of the rates if there are several, else over runs. All runs of one thread are alike.
 */
static pluss_status find_spread(plussi_ctx *ctx, const plussi_bound *bound,
                                const plussi_clock_options *options, uint32_t replications,
                                plussi_clock_watch *watch, plussi_clock_plan *plan,
                                plussi_clock_result *out)
{
    uint32_t draws = plussi_progress_draws(&options->progress, replications);
    bool runs = options->progress.law == PLUSSI_PROGRESS_UNIFORM && options->runs;
    if (draws < 2 && !runs)
        return PLUSS_OK;
    out->estimate.spread =
        plussi_calloc(&ctx->mem, out->estimate.n_points + 1, sizeof *out->estimate.spread);
    if (!out->estimate.spread)
        return PLUSS_ENOMEM;
    if (draws > 1)
        return plussi_clock_spread(ctx, plan, draws, out->estimate.size, out->estimate.n_points,
                                   out->estimate.spread);
    return bound->max_team > 1 ? spread_of_runs(ctx, bound, options, watch, plan, out) : PLUSS_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* One thread's windows are known without a search, so that it has more samples than a team
 * (clock_pilot.c). Fewer of them are enough for the ratios of counted lines to AET's, which vary
 * less than the windows do: double sampling (Neyman 1938). Strata of few samples have no fewer. */
static plussi_clock_draws draws_of_one(uint32_t n, uint32_t few)
{
    enum { EVERY = 3, LEAST = 16 };
    return (plussi_clock_draws){n, EVERY, few, LEAST, NULL};
}

static plussi_clock_draws draws_of_form(plussi_clock_form form, const plussi_bound *bound)
{
    const uint32_t n = form == PLUSSI_CLOCK_SD ? PLUSSI_CLOCK_MOST_DRAWS : 0;
    return bound->max_team == 1 ? draws_of_one(n, 1) : (plussi_clock_draws){n, 1, 1, 0, NULL};
}

/* Of the first replications, in which it may be open whether lines are counted. */
static plussi_clock_draws draws_of_pilot(plussi_clock_form form, const plussi_bound *bound)
{
    if (form != PLUSSI_CLOCK_AUTO)
        return draws_of_form(form, bound);
    return bound->max_team == 1 ? draws_of_one(PILOT_DRAWS, 2)
                                : (plussi_clock_draws){PILOT_DRAWS, 2, 2, 0, NULL};
}

/* Half of the replications, if there are enough. */
static uint32_t count_first_replications(const plussi_clock_options *options)
{
    uint32_t n = options->replications / PILOTS;
    return n < 2 ? 2 : n;
}

/* Runs the first replications, which decide the form. */
static pluss_status run_first_replications(plussi_ctx *ctx, const plussi_bound *bound,
                                           const plussi_clock_options *options,
                                           const plussi_clock_classes *classes,
                                           plussi_clock_watch *watch, plussi_clock_plan *plan,
                                           plussi_clock_result *out)
{
    const plussi_clock_draws draws = draws_of_pilot(options->form, bound);
    pluss_status status = run_replications(ctx, bound, options, classes, 0,
                                           count_first_replications(options), &draws, watch, plan);
    if (status)
        return status;
    out->form = options->form;
    if (options->form != PLUSSI_CLOCK_AUTO)
        return PLUSS_OK;
    status = plussi_clock_aet(ctx, plan);
    if (!status)
        status = plussi_clock_misfit(ctx, plan, out->estimate.footprint, &out->misfit);
    out->form = out->misfit > most_misfit ? PLUSSI_CLOCK_SD : PLUSSI_CLOCK_RI;
    return status;
}

/* Which thread executes which chunk is drawn once a replication, and a few draws say little about
 * it: runs more replications if half of the effort suffices. A short program gets as many as make
 * their pilot samples as large as a long program's; others get up to DRAWS times as many, of fewer
 * samples each, except long ones, which hold many chunks, each dispatched anew. */
static uint32_t needed_replications(const plussi_bound *bound, const plussi_clock_plan *plan,
                                    plussi_clock_options *options)
{
    enum { DRAWS = 4 };
    const double long_program = 4e7; /* accesses */
    uint32_t least = options->replications;
    double draws = DRAWS * least * fmin(1, long_program / plan->accesses);
    double n = fmin(fmax(options->pilot / plan->accesses, draws), MAX_REPLICATIONS);
    if (options->effort && plan->used.steps)
        n = fmin(n, 0.5 * least * (double)plussi_clock_share_of_effort(options) /
                        (double)plan->used.steps);
    if (options->progress.law != PLUSSI_PROGRESS_UNIFORM || n <= least || bound->max_team == 1 ||
        !plussi_clock_has_dynamic_loop(bound))
        return least;
    if (options->pilot / plan->accesses < n)
        options->replications = (uint32_t)n;
    return (uint32_t)n;
}

/* Few samples are off by somewhat more than what is stated, as few counts correct their distances:
 * by up to 1.3 times (root mean square over seeds, LARGE). So much less is aimed at. */
static const double margin = 1.25;

/* A larger error than usual is allowed: replications have as much fewer samples, and lines are
 * counted by as much fewer searches. */
static uint32_t allow_fewer(plussi_clock_options *options)
{
    enum { MOST = 16, FEW = 64 /* samples of a replication */ };
    const double usual = 0.0025, times = pow(options->error / margin / usual, 2);
    const double most = fmin(MOST, options->samples / (FEW * (double)options->replications));
    const uint32_t part = times < 2 || most < 2 ? 1 : (uint32_t)fmin(times, most);
    options->pilot /= part;
    options->samples /= part;
    if (part > 1 && !options->coarse)
        options->coarse = part;
    return part;
}

/* Replications that the next round adds: as many again, or, of small ones, those that are missing
 * if the error falls as 1 / sqrt(samples). */
static uint32_t count_next(const plussi_clock_options *options, uint32_t part, uint32_t each,
                           uint32_t done, double error)
{
    const double needed = 1.1 * done * pow(error * margin / options->error, 2) - done;
    return part == 1 ? each : (uint32_t)fmin(fmax(needed, 1), MAX_REPLICATIONS);
}

static void tell_error(plussi_ctx *ctx, const plussi_clock_options *options, double error)
{
    if (options->error > 0 && error > options->error)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_ELIMIT, NULL,
                      "the error of %.3g %% that was asked for is not reached: it is %.3g %%",
                      100 * options->error, 100 * error);
}

static pluss_status predict_curve(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_clock_options *given, plussi_clock_plan *plan,
                                  plussi_clock_result *out)
{
    plussi_clock_options as = *given, *options = &as;
    const uint32_t part = allow_fewer(options);
    const double aim = part == 1 ? options->error : options->error / margin;
    plussi_clock_watch watch = {.options = options, .caller = pthread_self(), .error = -1};
    plussi_footprint lines = {0};
    plussi_clock_classes classes = {0};
    pluss_status status = plussi_clock_engine_new(&ctx->mem, &watch.engine);
    if (!status)
        status = plussi_clock_find_footprint(ctx, bound, options, &lines, &plan->firsts);
    out->estimate.footprint = lines.lines;
    out->estimate.footprint_error = lines.error;
    if (!status)
        status = plussi_clock_find_classes(ctx, bound, options, &classes);
    if (!status)
        status = run_first_replications(ctx, bound, options, &classes, &watch, plan, out);
    uint32_t done = count_first_replications(options);
    uint32_t each = status ? 0 : needed_replications(bound, plan, options);
    uint32_t n = each - done;
    for (uint32_t round = 1; !status; round++) {
        for (uint32_t some; n > 0 && !status; n -= some) {
            some = n < MAX_REPLICATIONS ? n : MAX_REPLICATIONS;
            if (options->error <= 0)
                watch.done = (double)done / (done + n);
            const plussi_clock_draws draws = draws_of_form(out->form, bound);
            status =
                run_replications(ctx, bound, options, &classes, done, some, &draws, &watch, plan);
            done += some;
        }
        if (status)
            break;
        scale_weights(plan);
        status = set_distances(ctx, plan, out->estimate.footprint);
        forget_errors(out);
        if (!status)
            status = standard_error(ctx, plan, done, out);
        if (status || options->error <= 0 || out->estimate.mean_error <= aim || round == MAX_ROUNDS)
            break;
        watch.error = out->estimate.mean_error; /* falls as 1 / sqrt(samples) */
        watch.done = pow(options->error / out->estimate.mean_error, 2);
        n = count_next(options, part, each, done, watch.error);
    }
    if (!status)
        tell_error(ctx, options, out->estimate.mean_error);
    if (!status && options->n_shapes)
        status = plussi_clock_count_levels(plan, bound, options, done, &out->estimate);
    out->evaluated = plan->n;
    out->pilot_accesses = plan->pilot + classes.probes;
    if (!status)
        status = make_profile(ctx, bound, plan, options->by_reference, out->estimate.footprint,
                              &out->estimate.profile);
    if (!status && options->cells)
        status = list_cells(plan, &out->estimate.cells);
    if (!status)
        status = plussi_profile_curve(ctx, &out->estimate.profile, &out->estimate.mrc);
    if (!status)
        status = find_spread(ctx, bound, options, done, &watch, plan, out);
    if (!status)
        add_cold_error(plan, out);
    if (!status)
        status = plussi_clock_attribute(ctx, plan, out);
    plussi_clock_engine_free(watch.engine);
    plussi_free(&ctx->mem, classes.class);
    return status;
}

pluss_status plussi_clock(plussi_ctx *ctx, const plussi_bound *bound,
                          const plussi_clock_options *options, plussi_clock_result *out)
{
    pluss_status status = check_options(ctx, options);
    if (status)
        return status;
    plussi_clock_plan plan = {0};
    plussi_clock_result result = {0};
    plussi_estimate_init(&result.estimate, &ctx->mem);
    status = predict_curve(ctx, bound, options, &plan, &result);
    plussi_free(&ctx->mem, plan.sample);
    plussi_free(&ctx->mem, plan.outcome);
    if (status)
        plussi_estimate_free(&result.estimate);
    else
        *out = result;
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clock as a model: its three forms, and how much it samples of draws and of recorded runs.
 */
#include "model/clock.h"
#include "model/model.h"

extern const plussi_model plussi_model_lines, plussi_model_cri_line, plussi_model_ri_random;

enum { RUNS = 32 }; /* that the spread is estimated from, uniform progress */

/* Draws of rates and recorded runs differ, so that several of them have to be sampled (each
 * recorded run equally often), with enough samples each. With skewed threads windows are not
 * stationary: distances are counted. */
static void regard_draws(plussi_clock_options *options)
{
    enum { MOST = 64, DRAWS = PLUSSI_MODEL_DRAWS };
    bool recorded = options->progress.law == PLUSSI_PROGRESS_RECORDED;
    uint32_t runs = plussi_progress_draws(&options->progress, recorded ? UINT32_MAX : DRAWS);
    if (!recorded && runs < 2)
        return;
    if (options->form == PLUSSI_CLOCK_AUTO)
        options->form = PLUSSI_CLOCK_SD;
    if (runs < 2)
        return;
    options->replications = runs >= MOST ? MOST : runs * ((DRAWS + runs - 1) / runs);
    options->pilot *= 2;
    options->samples *= 2;
}

/* The hierarchy's levels that are evaluated with caches of that many threads; their numbers. */
static uint32_t choose_levels(const plussi_model_input *input, const plussi_hierarchy *h,
                              plussi_cache_shape *shape, size_t *number)
{
    uint32_t n = 0, team = input->bound->max_team;
    for (size_t i = 0; i < h->n; i++) {
        if (plussi_level_samples(input->hierarchy, input->n_hierarchies, i, team) !=
            input->threads_per_cache)
            continue;
        shape[n] = (plussi_cache_shape){plussi_level_sets(h, i),
                                        plussi_level_ways(h, i),
                                        plussi_level_scatters(h, i),
                                        plussi_level_is_searched(h, i),
                                        plussi_level_threads(h, i, team),
                                        h->level[i].write_through,
                                        h->level[i].inclusion == PLUSSI_INCLUSION_INCLUSIVE,
                                        h->level[i].inclusion == PLUSSI_INCLUSION_EXCLUSIVE,
                                        h->level[i].no_write_allocate};
        number[n++] = i;
    }
    return n;
}

static bool are_alike(const plussi_cache_shape *a, const plussi_cache_shape *b, uint32_t n)
{
    bool alike = true;
    for (uint32_t i = 0; i < n && alike; i++)
        alike = a[i].sets == b[i].sets && a[i].ways == b[i].ways && a[i].random == b[i].random &&
                a[i].searched == b[i].searched;
    return alike;
}

/* Those of all hierarchies, one after another; of one, if they are alike. */
static void choose_shapes(const plussi_model_input *input, plussi_cache_shape *shape,
                          size_t *number, plussi_clock_options *options)
{
    bool differ = false;
    for (size_t h = 0; h < input->n_hierarchies; h++) {
        plussi_cache_shape *own = shape + h * options->n_shapes;
        options->n_shapes = choose_levels(input, &input->hierarchy[h], own, number);
        differ = differ || !are_alike(shape, own, options->n_shapes);
    }
    options->shape = shape;
    options->n_hierarchies = differ ? (uint32_t)input->n_hierarchies : 1;
}

static pluss_status run_form(plussi_ctx *ctx, const plussi_model_input *input,
                             plussi_clock_form form, plussi_estimate *out)
{
    plussi_clock_options options = plussi_clock_defaults();
    plussi_cache_shape *shape =
        plussi_alloc(&ctx->mem, input->n_hierarchies * PLUSSI_LEVELS_MOST + 1, sizeof *shape);
    size_t number[PLUSSI_LEVELS_MOST];
    if (!shape)
        return PLUSS_ENOMEM;
    options.form = form;
    choose_shapes(input, shape, number, &options);
    options.seed = input->seed;
    options.threads_per_cache = input->threads_per_cache;
    options.workers = input->workers;
    options.spare = input->spare;
    options.kept = input->kept;
    options.effort = input->effort;
    options.by_reference = input->by_reference;
    options.cells = input->cells;
    options.runs = input->spread ? RUNS : 0;
    options.ask = input->ask;
    options.ask_user = input->ask_user;
    options.progress = *input->progress;
    if (input->error > 0)
        options.error = input->error;
    regard_draws(&options);
    if (input->coarse) {
        options.pilot /= input->coarse;
        options.samples /= input->coarse;
        if (input->rough) {
            options.pilot /= 2;
            options.coarse = input->coarse;
        }
    }
    plussi_clock_result result;
    pluss_status status = plussi_clock(ctx, input->bound, &options, &result);
    if (!status)
        *out = result.estimate;
    for (size_t i = 0; i < out->n_levels && !status; i++)
        out->level[i].level = number[out->level[i].level];
    plussi_free(&ctx->mem, shape);
    return status;
}

static pluss_status run_auto(plussi_ctx *ctx, const plussi_model_input *input, plussi_estimate *out)
{
    return run_form(ctx, input, PLUSSI_CLOCK_AUTO, out);
}

static pluss_status run_ri(plussi_ctx *ctx, const plussi_model_input *input, plussi_estimate *out)
{
    return run_form(ctx, input, PLUSSI_CLOCK_RI, out);
}

static pluss_status run_sd(plussi_ctx *ctx, const plussi_model_input *input, plussi_estimate *out)
{
    return run_form(ctx, input, PLUSSI_CLOCK_SD, out);
}

#define CLOCK(model_name, text, function)                                                          \
    {                                                                                              \
        .name = model_name, .summary = text,                                                       \
        .gives = PLUSSI_GIVES_ERROR | PLUSSI_GIVES_ATTRIBUTION | PLUSSI_GIVES_PROGRESS |           \
                 PLUSSI_GIVES_SHARED | PLUSSI_GIVES_LEVELS,                                        \
        .stand_in = {&plussi_model_lines, &plussi_model_cri_line, &plussi_model_ri_random},        \
        .run = function                                                                            \
    }
extern const plussi_model plussi_model_clock, plussi_model_clock_ri, plussi_model_clock_sd;
const plussi_model plussi_model_clock =
    CLOCK("clock", "Poisson clocks sampled in closed form, at a cost that does not grow", run_auto);
const plussi_model plussi_model_clock_ri =
    CLOCK("clock-ri", "the same, distances always from intervals alone", run_ri);
const plussi_model plussi_model_clock_sd =
    CLOCK("clock-sd", "the same, distances always corrected by counts of lines", run_sd);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "study/calibrate.h"
#include "team/rates.h"

enum { PIECES = PLUSSI_RATES_PIECES, STALLS_MOST = 1000 /* of a thread in a phase */ };

typedef struct draw {
    const plussi_progress *progress;
    const plussi_timeline *like;
    plussi_timelines *out;
    size_t runs;
    uint64_t seed;
    double *normal; /* of each run: one quantity's draws */
    size_t *order;  /* of each run: its stratum */
    double *rate;   /* run after run: of the threads */
    double *skew;   /* run after run: of the threads, in the phase at hand */
    plussi_timeline_point point[PIECES + 2 * STALLS_MOST + 1];
} draw;

static const plussi_loop_rates *find_loop(const draw *d, size_t phase)
{
    uint32_t loop = d->like->phase[phase].loop;
    for (size_t i = 0; i < d->progress->n_loops; i++)
        if (d->progress->loop[i].loop == loop)
            return &d->progress->loop[i];
    return NULL;
}

/* Of each run one of `runs` equal parts of [0, 1), in random order: what is drawn from these has a
 * mean over the runs that scatters less than that of independent draws would. */
static void draw_strata(draw *d, plussi_rng *rng)
{
    for (size_t i = 0; i < d->runs; i++) {
        size_t j = (size_t)plussi_rng_below(rng, i + 1);
        d->order[i] = d->order[j];
        d->order[j] = i;
    }
}

static void draw_normals(draw *d, plussi_rng *rng)
{
    draw_strata(d, rng);
    for (size_t i = 0; i < d->runs; i++) {
        double u = ((double)d->order[i] + plussi_rng_unit(rng)) / (double)d->runs;
        d->normal[i] = gsl_cdf_ugaussian_Pinv(u > 0 ? u : 1e-12);
    }
}

static void draw_rates(draw *d)
{
    plussi_rng rng;
    uint32_t team = (uint32_t)d->progress->n_rates;
    plussi_rng_seed(&rng, d->seed, 0);
    for (uint32_t k = 0; k < team; k++) {
        draw_normals(d, &rng);
        for (size_t i = 0; i < d->runs; i++)
            d->rate[i * team + k] = exp(d->progress->sigma * d->normal[i]);
    }
}

/* Of the threads that have accesses one, any, starts at once. */
static void draw_skew(draw *d, size_t phase)
{
    plussi_rng rng;
    const plussi_timeline_phase *like = &d->like->phase[phase];
    uint32_t team = (uint32_t)d->progress->n_rates, working = 0, nth = 0;
    plussi_rng_seed(&rng, d->seed, phase + 1);
    for (uint32_t k = 0; k < like->team; k++)
        working += like->thread[k].n > 0;
    for (uint32_t k = 0; k < like->team; k++) {
        draw_normals(d, &rng);
        for (size_t i = 0; i < d->runs; i++)
            d->skew[i * team + k] =
                d->progress->skew > 0
                    ? d->progress->skew * exp(d->progress->skew_spread * d->normal[i])
                    : 0;
    }
    draw_strata(d, &rng);
    for (uint32_t k = 0; k < like->team; k++) {
        if (like->thread[k].n == 0)
            continue;
        for (size_t i = 0; i < d->runs; i++)
            if (d->order[i] % working == nth)
                d->skew[i * team + k] = 0;
        nth++;
    }
}

/* When a thread that starts at 0 comes to the end of each piece, stalls aside. */
static void piece_ends(const draw *d, size_t run, const plussi_loop_rates *loop, uint32_t k,
                       double accesses, double end[PIECES + 1])
{
    double sum = 0, rate = d->rate[run * d->progress->n_rates + k] * (loop ? loop->rate[k] : 1);
    end[0] = 0;
    for (size_t j = 0; j < PIECES; j++) {
        sum += loop ? exp(loop->cost[k * PIECES + j]) : 1;
        end[j + 1] = sum;
    }
    for (size_t j = 1; j <= PIECES; j++)
        end[j] *= accesses / rate / sum;
}

/* The pieces' ends, and either side of each stall. */
static size_t draw_points(draw *d, double accesses, double start, const double end[PIECES + 1],
                          plussi_stalls *stalls)
{
    size_t n = 0;
    double lost = start, run, stall, next;
    plussi_stalls_next(stalls, &run, &stall);
    next = run;
    d->point[n++] = (plussi_timeline_point){start, 0};
    for (size_t j = 0; j < PIECES; j++) {
        double from = accesses * (double)j / PIECES, made = accesses / PIECES;
        while (next < end[j + 1] && n < PIECES + 2 * STALLS_MOST - 1) {
            double done = from + made * (next - end[j]) / (end[j + 1] - end[j]);
            d->point[n++] = (plussi_timeline_point){lost + next, done};
            lost += stall;
            d->point[n++] = (plussi_timeline_point){lost + next, done};
            plussi_stalls_next(stalls, &run, &stall);
            next += run;
        }
        d->point[n++] =
            (plussi_timeline_point){lost + end[j + 1], j + 1 < PIECES ? from + made : accesses};
    }
    return n;
}

static pluss_status draw_thread(draw *d, size_t run, size_t phase, uint32_t k,
                                plussi_timeline_thread *out)
{
    const plussi_timeline_thread *like = &d->like->phase[phase].thread[k];
    double end[PIECES + 1];
    if (like->n == 0 || !(like->point[like->n - 1].done > 0))
        return PLUSS_OK;
    double accesses = like->point[like->n - 1].done;
    plussi_stalls stalls;
    plussi_stalls_begin(&stalls, d->progress, d->seed + run, phase, k);
    piece_ends(d, run, find_loop(d, phase), k, accesses, end);
    size_t n = draw_points(d, accesses, d->skew[run * d->progress->n_rates + k], end, &stalls);
    out->point = plussi_arena_alloc(&d->out->arena, n, sizeof *out->point);
    if (!out->point)
        return PLUSS_ENOMEM;
    memcpy(out->point, d->point, n * sizeof *out->point);
    out->n = n;
    return PLUSS_OK;
}

static pluss_status draw_phase(draw *d, size_t phase)
{
    const plussi_timeline_phase *like = &d->like->phase[phase];
    draw_skew(d, phase);
    for (size_t run = 0; run < d->runs; run++) {
        plussi_timeline_phase *out = &d->out->run[run].phase[phase];
        *out = (plussi_timeline_phase){.team = like->team, .loop = like->loop};
        out->thread = plussi_arena_alloc(&d->out->arena, like->team, sizeof *out->thread);
        if (!out->thread)
            return PLUSS_ENOMEM;
        for (uint32_t k = 0; k < like->team; k++) {
            pluss_status status = draw_thread(d, run, phase, k, &out->thread[k]);
            if (status)
                return status;
        }
    }
    return PLUSS_OK;
}

static pluss_status check_team(plussi_ctx *ctx, const plussi_progress *progress,
                               const plussi_timeline *like)
{
    for (size_t p = 0; p < like->n_phases; p++)
        if (like->phase[p].team > progress->n_rates)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a phase has %u threads, its team %zu",
                               like->phase[p].team, progress->n_rates);
    return PLUSS_OK;
}

static pluss_status draw_all(draw *d)
{
    plussi_arena *arena = &d->out->arena;
    size_t n = d->runs, team = d->progress->n_rates;
    d->normal = plussi_arena_alloc(arena, n + 1, sizeof *d->normal);
    d->order = plussi_arena_alloc(arena, n + 1, sizeof *d->order);
    d->rate = plussi_arena_alloc(arena, n * team + 1, sizeof *d->rate);
    d->skew = plussi_arena_alloc(arena, n * team + 1, sizeof *d->skew);
    d->out->run = plussi_arena_alloc(arena, n + 1, sizeof *d->out->run);
    pluss_status status =
        d->normal && d->order && d->rate && d->skew && d->out->run ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        plussi_timeline *run = &d->out->run[i];
        run->n_phases = d->like->n_phases;
        run->phase = plussi_arena_alloc(arena, run->n_phases + 1, sizeof *run->phase);
        status = run->phase ? PLUSS_OK : PLUSS_ENOMEM;
    }
    if (!status)
        draw_rates(d);
    for (size_t p = 0; p < d->like->n_phases && !status; p++)
        status = draw_phase(d, p);
    d->out->n = n;
    return status;
}

pluss_status plussi_draw_timelines(plussi_ctx *ctx, const plussi_progress *progress,
                                   const plussi_timeline *like, size_t runs, uint64_t seed,
                                   plussi_timelines **out)
{
    pluss_status status = check_team(ctx, progress, like);
    draw *d = status ? NULL : plussi_calloc(&ctx->mem, 1, sizeof *d);
    plussi_timelines *timelines = d ? plussi_calloc(&ctx->mem, 1, sizeof *timelines) : NULL;
    if (!status && !timelines)
        status = PLUSS_ENOMEM;
    if (!status) {
        plussi_arena_init(&timelines->arena, &ctx->mem);
        d->progress = progress;
        d->like = like;
        d->out = timelines;
        d->runs = runs;
        d->seed = seed;
        status = draw_all(d);
    }
    plussi_free(&ctx->mem, d);
    if (status)
        plussi_timelines_free(timelines);
    else
        *out = timelines;
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/crd.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "team/rates.h"

enum {
    SHORT = 64,        /* accesses of a window whose distribution is computed exactly */
    WIDE = 512,        /* values that a distribution has, at most */
    INTERVAL_BITS = 6, /* bins of intervals an octave, log2 */
    TIMES = 16         /* of a short window, if the order is random */
};
static const double deviations = 5; /* on each side of a mean */

/* Number of different lines: values first, first + step, ..., with their probabilities. */
typedef struct spread {
    double first, step;
    size_t n;
    double p[WIDE];
} spread;

/* Different lines in windows of a thread's accesses. An access is the first to its line in a window
 * that began t accesses before it if its interval is at least t: with probability u(t). */
typedef struct footprint {
    double lines, speed; /* speed: accesses of the thread for each of the one that is looked at */
    size_t n;            /* steps of u: */
    double *end, *u;     /* u[i] from end[i - 1] + 1 to end[i]; then last */
    double *mean, *variance; /* sums of u and u (1 - u) to the end of a step */
    double last;
    double row[SHORT + 1][SHORT + 1]; /* distribution in windows of up to SHORT accesses */
} footprint;

/* ---- one thread --------------------------------------------------------------------------------
 */

static int by_interval(const void *left, const void *right)
{
    const plussi_cell *a = left, *b = right;
    return a->interval != b->interval ? (a->interval < b->interval ? -1 : 1)
                                      : (a->distance > b->distance) - (a->distance < b->distance);
}

static double first_probability(const footprint *f, double t)
{
    PLUSSI_BISECT(size_t, i, 0, f->n, f->end[i] >= t);
    return i < f->n ? f->u[i] : f->last;
}

/* Each further access is the first to its line or not, independently of the others. */
static void fill_rows(footprint *f)
{
    memset(f->row, 0, sizeof f->row);
    f->row[0][0] = 1;
    for (int t = 1; t <= SHORT; t++) {
        const double u = first_probability(f, t);
        for (int k = 0; k <= t; k++)
            f->row[t][k] = f->row[t - 1][k] * (1 - u) + (k ? f->row[t - 1][k - 1] * u : 0);
    }
}

static pluss_status make_footprint(plussi_ctx *ctx, plussi_crd_thread *thread, footprint *out)
{
    const size_t n = thread->n;
    double left = thread->accesses, at = 0, mean = 0, variance = 0;
    *out = (footprint){.lines = thread->lines,
                       .end = plussi_alloc(&ctx->mem, n + 1, sizeof *out->end),
                       .u = plussi_alloc(&ctx->mem, n + 1, sizeof *out->u),
                       .mean = plussi_alloc(&ctx->mem, n + 1, sizeof *out->mean),
                       .variance = plussi_alloc(&ctx->mem, n + 1, sizeof *out->variance)};
    if (!out->end || !out->u || !out->mean || !out->variance)
        return PLUSS_ENOMEM;
    qsort(thread->cell, n, sizeof *thread->cell, by_interval);
    for (size_t i = 0; i < n; i++) {
        const double end = (double)thread->cell[i].interval;
        if (end > at) {
            const double u = left / thread->accesses;
            mean += (end - at) * u;
            variance += (end - at) * u * (1 - u);
            out->end[out->n] = at = end;
            out->u[out->n] = u;
            out->mean[out->n] = mean;
            out->variance[out->n++] = variance;
        }
        left -= thread->cell[i].weight;
    }
    out->last = left > 0 ? left / thread->accesses : 0;
    fill_rows(out);
    return PLUSS_OK;
}

static void free_footprint(plussi_ctx *ctx, footprint *f)
{
    plussi_free(&ctx->mem, f->end);
    plussi_free(&ctx->mem, f->u);
    plussi_free(&ctx->mem, f->mean);
    plussi_free(&ctx->mem, f->variance);
}

/* Mean and variance of the different lines in a window of t accesses: accesses are independent, or
 * lines are, whichever leaves less to chance. */
static double find_lines(const footprint *f, double t, double *variance)
{
    PLUSSI_BISECT(size_t, i, 0, f->n, f->end[i] >= t);
    const double from = i ? f->end[i - 1] : 0, u = i < f->n ? f->u[i] : f->last;
    double mean = (i ? f->mean[i - 1] : 0) + (t - from) * u;
    mean = mean < f->lines ? mean : f->lines;
    *variance =
        fmin((i ? f->variance[i - 1] : 0) + (t - from) * u * (1 - u), mean * (1 - mean / f->lines));
    return mean;
}

/* ---- distributions -----------------------------------------------------------------------------
 */

static void set_normal(double mean, double variance, double most, spread *out)
{
    const double sigma = sqrt(fmax(variance, 1e-4)),
                 low = fmax(0, floor(mean - deviations * sigma));
    const double high = fmin(most, ceil(mean + deviations * sigma));
    double sum = 0;
    out->first = low;
    out->step = fmax(1, ceil((high - low) / (WIDE - 2)));
    out->n = (size_t)fmax(0, floor((high - low) / out->step)) + 1;
    for (size_t i = 0; i < out->n; i++) {
        const double x = low + (double)i * out->step, half = out->step / 2;
        out->p[i] = erfc((x - half - mean) / sigma * M_SQRT1_2) -
                    erfc((x + half - mean) / sigma * M_SQRT1_2);
        sum += out->p[i];
    }
    for (size_t i = 0; i < out->n; i++)
        out->p[i] = sum > 0 ? out->p[i] / sum : 1 / (double)out->n;
}

/* n distributed as `row`, each of which counts with probability keep. */
static void thin(const double *row, int n, double keep, double *out)
{
    for (int k = 0; k <= n; k++)
        out[k] = 0;
    for (int x = 0; x <= n; x++) {
        double p = row[x] * pow(1 - keep, x); /* none of x counts */
        if (keep >= 1) {
            out[x] += row[x];
            continue;
        }
        for (int k = 0; k <= x; k++) {
            out[k] += p;
            p *= (double)(x - k) / (k + 1) * keep / (1 - keep);
        }
    }
}

static void add_thinned(spread *sum, const double *row, int n, double keep)
{
    double thinned[SHORT + 1], result[WIDE] = {0};
    thin(row, n, keep, thinned);
    for (size_t i = 0; i < sum->n; i++)
        for (int k = 0; k <= n && i + (size_t)k < WIDE; k++)
            result[i + (size_t)k] += sum->p[i] * thinned[k];
    sum->n = sum->n + (size_t)n < WIDE ? sum->n + (size_t)n : WIDE;
    memcpy(sum->p, result, sizeof result);
}

/* Lines in windows whose number of accesses is a Poisson variable, of which longer ones than SHORT
 * are rare. */
static void mix_rows(const footprint *f, double mean, double *out)
{
    for (int k = 0; k <= SHORT; k++)
        out[k] = 0;
    for (int w = 0; w <= SHORT; w++) {
        const double p = gsl_ran_poisson_pdf((unsigned)w, mean);
        for (int k = 0; k <= w; k++)
            out[k] += p * f->row[w][k];
    }
}

/* ---- threads together --------------------------------------------------------------------------
 */

typedef struct merged {
    footprint *of;
    const plussi_crd_thread *thread;
    size_t n, at; /* the thread that is looked at */
    plussi_crd_order order;
} merged;

/* Accesses of a thread while the one that is looked at makes t. */
static double window_of(const merged *m, size_t i, double t)
{
    return t * m->thread[i].rate / m->thread[m->at].rate;
}

/* The part of a thread's lines that others have. */
static double shared_part(const merged *m, size_t i)
{
    return fmin(1, m->thread[i].shared / m->thread[i].lines);
}

/* A window: accesses of the thread that is looked at; those that it takes the time of, on average;
 * of how many such windows this is one. */
typedef struct window {
    double own, time;
    size_t n;
} window;

/* Of t gaps between accesses of the thread. If the order is random they take a time of a gamma
 * distribution; where t is large, its variance is enough. */
static window nth_window(const merged *m, double own, double t, size_t i)
{
    const bool random = m->order == PLUSSI_CRD_RANDOM && m->n > 1 && t >= 1 && t <= SHORT;
    const size_t n = random ? TIMES : 1;
    return (window){own, random ? gsl_cdf_gamma_Pinv(((double)i + 0.5) / (double)n, t, 1) : t, n};
}

/* Lines that threads touch in a window, and that the one that is looked at does not touch, of whose
 * lines there are `own` in it (own 0, itself: it does count, too). A shared line counts once. */
static void find_others(const merged *m, const window *w, double own, bool itself, spread *out)
{
    const double own_part = fmin(1, own / m->thread[m->at].lines);
    const bool random = m->order == PLUSSI_CRD_RANDOM;
    double untouched = 1 - own_part, mean = 0, variance = 0, slope = 0, most = 0, v;
    bool exact = w->own <= SHORT;
    for (size_t i = 0; i < m->n; i++) { /* while accesses, not lines, are what is left to chance */
        const double length = i == m->at ? w->own : window_of(m, i, w->time);
        exact = exact && length <= (random && i != m->at ? SHORT / 2 : SHORT) &&
                find_lines(&m->of[i], length, &v) <= m->of[i].lines / 2;
    }
    *out = (spread){.step = 1, .n = 1, .p[0] = 1};
    for (size_t i = 0; i < m->n; i++) {
        if (i == m->at && !itself)
            continue;
        const bool drawn = random && i != m->at;
        const footprint *f = &m->of[i];
        const double length = i == m->at ? w->own : window_of(m, i, w->time);
        const double keep = 1 - shared_part(m, i) * (1 - untouched);
        const double lines = find_lines(f, length, &v);
        if (exact && drawn) {
            double row[SHORT + 1];
            mix_rows(f, length, row);
            add_thinned(out, row, SHORT, keep);
        } else if (exact) {
            add_thinned(out, f->row[(int)(length + 0.5)], (int)(length + 0.5), keep);
        }
        if (drawn) {
            const double u = lines < f->lines ? first_probability(f, length) : 0;
            v += u * u * length;
            slope += u * keep * length;
        }
        mean += lines * keep;
        variance += v * keep * keep + lines * keep * (1 - keep);
        most += f->lines;
        untouched *= 1 - lines / f->lines;
    }
    if (w->n == 1 && w->time > 0) /* of the time, which all have in common */
        variance += slope * slope / w->time;
    if (!exact)
        set_normal(mean, variance, most, out);
}

/* Probability that no other thread touches a line that all have while this one makes t accesses. */
static double stays_untouched(const merged *m, double t)
{
    double untouched = 1, v;
    for (size_t i = 0; i < m->n; i++)
        if (i != m->at)
            untouched *= 1 - find_lines(&m->of[i], window_of(m, i, t), &v) / m->of[i].lines;
    return fmax(0, untouched);
}

static pluss_status add_spread(const merged *m, double from, const spread *s, double weight)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < s->n && !status; i++)
        if (s->p[i] * weight > 0)
            status = plussi_histo_add(m->thread[m->at].out,
                                      (uint64_t)(from + s->first + (double)i * s->step + 0.5),
                                      s->p[i] * weight);
    return status;
}

/* Reuses of intervals in one bin, whose representative is t. unbroken: the part of them between
 * which no other thread touches the line. */
static pluss_status add_unbroken(const merged *m, const plussi_cell *cell, size_t n, double t,
                                 double unbroken)
{
    spread others, all;
    double known = 0, weight = 0, all_weight = 0, v;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n; i++, all_weight += cell[i - 1].weight)
        if (cell[i].distance != PLUSSI_CELL_UNKNOWN) {
            known += (double)cell[i].distance * cell[i].weight;
            weight += cell[i].weight;
        }
    const double own = weight > 0 ? known / weight : find_lines(&m->of[m->at], t - 1, &v);
    window w = nth_window(m, t - 1, t, 0);
    for (size_t k = 0; k < w.n && !status; k++) {
        const double part = unbroken / (double)w.n;
        w = nth_window(m, t - 1, t, k);
        find_others(m, &w, own, false, &others);
        if (weight < all_weight)
            find_others(m, &w, 0, true, &all);
        for (size_t i = 0; i < n && !status; i++)
            status = cell[i].distance != PLUSSI_CELL_UNKNOWN
                         ? add_spread(m, (double)cell[i].distance, &others, cell[i].weight * part)
                         : add_spread(m, 0, &all, cell[i].weight * part);
    }
    return status;
}

/* The latest touch of the line by another thread was in the last accesses, up to t of this one. */
static pluss_status add_broken(const merged *m, double t, double weight)
{
    spread all;
    pluss_status status = PLUSS_OK;
    window w = nth_window(m, t, t, 0);
    for (size_t k = 0; k < w.n && weight > 0 && !status; k++) {
        w = nth_window(m, t, t, k);
        find_others(m, &w, 0, true, &all);
        status = add_spread(m, 0, &all, weight / (double)w.n);
    }
    return status;
}

static pluss_status add_thread(const merged *m)
{
    const plussi_crd_thread *thread = &m->thread[m->at];
    const double part = m->n > 1 ? shared_part(m, m->at) : 0;
    double left = 0, before = 1, t_before = 0;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < thread->n; i++)
        left += thread->cell[i].weight;
    for (size_t i = 0, next; i < thread->n && !status; i = next) {
        const uint64_t key = plussi_histo_quantise(thread->cell[i].interval, INTERVAL_BITS);
        const double t = (double)key, now = stays_untouched(m, t);
        double weight = 0;
        for (next = i; next < thread->n &&
                       plussi_histo_quantise(thread->cell[next].interval, INTERVAL_BITS) == key;
             next++)
            weight += thread->cell[next].weight;
        status = add_unbroken(m, &thread->cell[i], next - i, t, 1 - part + part * now);
        if (!status) /* of these and of all that are longer */
            status = add_broken(m, floor((t_before + t) / 2),
                                (part * left + thread->late) * (before - now));
        left -= weight;
        before = now;
        t_before = t;
    }
    return status ? status : add_broken(m, t_before, thread->late * before);
}

pluss_status plussi_crd(plussi_ctx *ctx, plussi_crd_thread *thread, size_t n,
                        plussi_crd_order order)
{
    merged m = {
        .thread = thread, .n = n, .order = order, .of = plussi_calloc(&ctx->mem, n, sizeof *m.of)};
    double accesses = 0;
    pluss_status status = m.of ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        status = make_footprint(ctx, &thread[i], &m.of[i]);
        accesses += thread[i].accesses;
    }
    if (!status && !(accesses > 0))
        status = PLUSS_EEMPTY;
    for (m.at = 0; m.at < n && !status; m.at++) {
        status = add_thread(&m);
        thread[m.at].out->cold += thread[m.at].lines - thread[m.at].late;
    }
    for (size_t i = 0; i < n && m.of; i++)
        free_footprint(ctx, &m.of[i]);
    plussi_free(&ctx->mem, m.of);
    return status;
}

/* ---- of a nest ---------------------------------------------------------------------------------
 */

/* Number of threads, a list of cells for each, or one that all have, and the threads themselves. */
typedef struct nest_threads {
    uint32_t n;
    plussi_cell **cell;
    plussi_crd_thread *thread, *active;
    plussi_histo *out;
} nest_threads;

static pluss_status list_intervals(plussi_ctx *ctx, const plussi_histo *histo, plussi_cell **out,
                                   size_t *n)
{
    plussi_bin *bin = NULL;
    pluss_status status = plussi_histo_sorted(histo, &bin, n);
    if (!status && !(*out = plussi_alloc(&ctx->mem, *n + 1, sizeof **out)))
        status = PLUSS_ENOMEM;
    for (size_t i = 0; i < *n && !status; i++)
        (*out)[i] = (plussi_cell){bin[i].key, PLUSSI_CELL_UNKNOWN, bin[i].weight};
    plussi_free(&histo->mem, bin);
    return status;
}

/* All threads alike, from the private intervals of all together, of a record. A line that k threads
 * touch counts 1 / k of its k first touches as cold: what is not cold tells how many lines are
 * shared, if all threads share them. */
static pluss_status share_out(plussi_ctx *ctx, const plussi_pri *pri, nest_threads *t)
{
    const double team = t->n;
    plussi_histo all;
    size_t n = 0;
    plussi_histo_init(&all, &ctx->mem);
    pluss_status status = PLUSS_OK;
    for (uint32_t r = 0; r < pri->n_refs && !status; r++)
        status = plussi_histo_merge(&all, &pri->ref[r].histo, 1 / team);
    if (!status)
        status = list_intervals(ctx, &all, &t->cell[0], &n);
    for (uint32_t i = 0; i < t->n; i++)
        t->thread[i] =
            (plussi_crd_thread){.accesses = pri->accesses / team,
                                .lines = all.cold + all.thread_first,
                                .shared = t->n > 1 ? all.thread_first * team / (team - 1) : 0,
                                .late = all.thread_first,
                                .cell = t->cell[0],
                                .n = n};
    plussi_histo_free(&all);
    return status;
}

static pluss_status tell_apart(plussi_ctx *ctx, const plussi_pri *pri, nest_threads *t)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < t->n && !status; i++) {
        const plussi_thread_pri *from = &pri->thread[i];
        size_t n = 0;
        status = list_intervals(ctx, &from->histo, &t->cell[i], &n);
        t->thread[i] = (plussi_crd_thread){.accesses = from->accesses,
                                           .lines = from->lines,
                                           .shared = from->shared,
                                           .late = from->late,
                                           .cell = t->cell[i],
                                           .n = n};
    }
    return status;
}

/* Threads that have ended make no more accesses: between one end and the next, those that are left
 * have that part of their accesses. Ends that are nearly the same are one. */
static pluss_status add_in_turn(plussi_ctx *ctx, nest_threads *t, plussi_histo *out)
{
    const double near = 1e-3; /* of a thread's time */
    pluss_status status = PLUSS_OK;
    for (double from = 0, to; !status; from = to) {
        size_t n = 0;
        to = INFINITY;
        for (uint32_t i = 0; i < t->n; i++)
            if (t->thread[i].accesses / t->thread[i].rate > from * (1 + near))
                to = fmin(to, t->thread[i].accesses / t->thread[i].rate);
        if (to == INFINITY)
            return PLUSS_OK;
        for (uint32_t i = 0; i < t->n; i++) {
            const double end = t->thread[i].accesses / t->thread[i].rate;
            if (end <= from * (1 + near))
                continue;
            t->active[n] = t->thread[i];
            plussi_histo_init(&t->out[n], &ctx->mem);
            t->active[n].out = &t->out[n];
            n++;
        }
        status = plussi_crd(ctx, t->active, n, PLUSSI_CRD_RANDOM);
        for (size_t k = 0; k < n; k++) {
            const plussi_crd_thread *a = &t->active[k];
            const double end = a->accesses / a->rate;
            const double until = end <= to * (1 + near) ? end : to;
            if (!status)
                status = plussi_histo_merge(out, &t->out[k], (until - from) / end);
            plussi_histo_free(&t->out[k]);
        }
    }
    return status;
}

static pluss_status run_crd(plussi_ctx *ctx, const plussi_model_input *input, plussi_estimate *out)
{
    const plussi_pri *pri = input->intervals;
    const uint32_t n = pri->thread ? pri->n_threads : pri->team;
    nest_threads t = {.n = n,
                      .cell = plussi_calloc(&ctx->mem, n, sizeof *t.cell),
                      .thread = plussi_calloc(&ctx->mem, n, sizeof *t.thread),
                      .active = plussi_calloc(&ctx->mem, n, sizeof *t.active),
                      .out = plussi_calloc(&ctx->mem, n, sizeof *t.out)};
    double *rate = plussi_alloc(&ctx->mem, n, sizeof *rate);
    pluss_status status = t.cell && t.thread && t.active && t.out && rate ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE, PLUSSI_SCOPE_CONCURRENT, 0,
                                     &out->profile);
    if (!status)
        status = pri->thread ? tell_apart(ctx, pri, &t) : share_out(ctx, pri, &t);
    if (!status && input->progress->law == PLUSSI_PROGRESS_RATES)
        plussi_draw_rates(input->progress, input->seed, 0, n, rate);
    for (uint32_t i = 0; i < n && !status; i++) {
        t.thread[i].rate = input->progress->law == PLUSSI_PROGRESS_RATES ? rate[i] : 1;
        out->footprint += t.thread[i].lines - t.thread[i].late;
    }
    if (!status && !(pri->accesses > 0))
        status = PLUSS_EEMPTY;
    if (!status)
        status = add_in_turn(ctx, &t, &out->profile.histo);
    for (uint32_t i = 0; i < n && t.cell; i++)
        plussi_free(&ctx->mem, t.cell[i]);
    plussi_free(&ctx->mem, t.cell);
    plussi_free(&ctx->mem, t.thread);
    plussi_free(&ctx->mem, t.active);
    plussi_free(&ctx->mem, t.out);
    plussi_free(&ctx->mem, rate);
    return status;
}

extern const plussi_model plussi_model_crd;
const plussi_model plussi_model_crd = {.name = "crd",
                                       .summary =
                                           "CC 2010's concurrent reuse distances, of traces, too",
                                       .takes = PLUSSI_TAKES_INTERVALS | PLUSSI_TAKES_THREADS,
                                       .gives = PLUSSI_GIVES_RATES,
                                       .run = run_crd};

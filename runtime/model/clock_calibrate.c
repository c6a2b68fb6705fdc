/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pooled counts of distinct lines. A count from a few draws is too noisy to be a distance by itself
 * (the curve of noisy distances is blurred, and so biased). But the ratio of the count to the AET
 * distance varies little among windows of the same length between touches by the same two
 * references in the same part of the program. So AET's distances are multiplied by ratios, first
 * those of wide classes, then those of the narrower classes inside, as far as each correction
 * exceeds the noise of the draws: empirical Bayes, docs/models.md, "Counted ratios".
 */
#include <math.h>
#include <string.h>

#include "base/radix.h"
#include "model/clock_state.h"

enum {
    PER_OCTAVE = 2,
    BINS = 64 * PER_OCTAVE + 2,
    LEVELS = 3 /* of classes: loops, pairs of references there, pairs in a part */
};

/* A class whose ratio has a larger squared error says less than the others about how much classes
 * differ. */
static const double noisy = 0.02;

/* Usual upper bound of the squared difference between classes. */
static const double usual = 0.01;

typedef struct guess {
    plussi_clock_sample *x;
    uint64_t class;
    double at;    /* reuse interval, in bins */
    double ratio; /* estimated distinct lines of the window / AET's */
    double doubt; /* squared relative error of the ratio */
} guess;

typedef struct pool {
    double lines, guessed, variance, weight;
} pool;

/* ---- classes --------------------------------------------------------------------------------- */

static uint64_t id_of(const plussi_bound_node *node)
{
    return node ? (uint64_t)node->id + 1 : 0;
}

static uint64_t class_of(const plussi_clock_sample *x, int level)
{
    uint64_t h = level < 2 ? x->part / PLUSSI_CLOCK_PROGRESS : x->part;
    h = plussi_mix(h, x->cross);
    if (level == 0)
        return h;
    h = plussi_mix(plussi_mix(h, id_of(x->ref)), id_of(x->source));
    h = plussi_mix(plussi_mix(h, x->other_thread), x->carrier);
    return plussi_mix(h, id_of(x->loop));
}

/* Sorts by class and length of the interval; of equal ones the order stays. copy, order: room for n
 * and 2 n. */
static void sort_by_class(guess *g, size_t n, guess *copy, plussi_keyed *order)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (plussi_keyed){plussi_radix_of_double(g[i].at), (uint32_t)i};
    plussi_radix_sort(order, order + n, n);
    for (size_t i = 0; i < n; i++)
        order[i].key = g[order[i].index].class;
    plussi_radix_sort(order, order + n, n);
    for (size_t i = 0; i < n; i++)
        copy[i] = g[order[i].index];
    memcpy(g, copy, n * sizeof *g);
}

/* ---- one class ------------------------------------------------------------------------------- */

/* Weight of a window in bin k, one of the two bins whose middles are next to it. */
static double weigh_bin(const guess *g, size_t k)
{
    return 1 - fabs(g->at - (double)k);
}

/* Variance of the count; 0: it is exact. A draw hits with the probability p = lines / accesses,
 * taken from the guess so far and kept away from 0 and 1. */
static double variance_of(const guess *g)
{
    if (g->x->exact)
        return 0;
    double n = (double)(g->x->interval - 1), unsure = 0.5 / (g->x->draws + 1.0);
    double p = g->ratio * (g->x->distance - 1) / n;
    p = p < unsure ? unsure : p > 1 - unsure ? 1 - unsure : p;
    return n * n * p * (1 - p) / g->x->draws;
}

/* Number of the n guesses that are in the class of the first. Fills their bins [*from, *to) and
 * leaves the others as they are. */
static size_t fill_pools(const guess *g, size_t n, pool *bin, size_t *from, size_t *to)
{
    size_t size = 1;
    while (size < n && g[size].class == g[0].class)
        size++;
    *from = (size_t)g[0].at;
    *to = (size_t)g[size - 1].at + 2;
    for (size_t k = *from; k < *to; k++)
        bin[k] = (pool){0};
    for (size_t i = 0; i < size; i++) {
        if (!g[i].x->draws)
            continue;
        double variance = variance_of(&g[i]);
        for (size_t k = (size_t)g[i].at, end = k + 2; k < end; k++) {
            double w = g[i].x->weight * weigh_bin(&g[i], k);
            bin[k].lines += w * g[i].x->lines;
            bin[k].guessed += w * g[i].ratio * (g[i].x->distance - 1);
            bin[k].variance += w * w * variance;
            bin[k].weight += w;
        }
    }
    return size;
}

/* Relative difference of the counted lines from the guessed ones; false: nothing is counted. */
static bool find_deviation(const pool *p, double *by, double *noise)
{
    if (!(p->guessed > 0))
        return false;
    *by = p->lines / p->guessed - 1;
    *noise = p->variance / (p->guessed * p->guessed);
    return true;
}

/* ---- one level ------------------------------------------------------------------------------- */

/* Mean square of the differences of ratios from the guess, without the noise; *besides: what the
 * mean square may be in excess of that, given the noise. */
static double find_spread(const guess *g, size_t n, double *besides)
{
    pool bin[BINS];
    double sum = 0, weight = 0, squares = 0;
    for (size_t i = 0, j; i < n; i = j) {
        size_t from, to;
        j = i + fill_pools(g + i, n - i, bin, &from, &to);
        for (size_t k = from; k < to; k++) {
            double by, noise;
            if (!find_deviation(&bin[k], &by, &noise))
                continue;
            double w = bin[k].weight / (1 + noise / noisy);
            sum += w * (by * by - noise);
            squares += 2 * w * w * noise * noise;
            weight += w;
        }
    }
    *besides = weight > 0 ? fmin(usual, sqrt(squares) / weight) : usual;
    return sum > 0 ? sum / weight : 0;
}

static void improve_guesses(guess *g, size_t n)
{
    pool bin[BINS];
    double factor[BINS], doubt[BINS], besides, differ = find_spread(g, n, &besides);
    double most = fmax(differ, fmin(differ + besides, usual));
    if (!(most > 0))
        return;
    for (size_t i = 0, j; i < n; i = j) {
        size_t from, to;
        j = i + fill_pools(g + i, n - i, bin, &from, &to);
        for (size_t k = from; k < to; k++) {
            double by, noise;
            factor[k] = 1;
            doubt[k] = most;
            if (find_deviation(&bin[k], &by, &noise)) {
                factor[k] += noise > 0 ? by * differ / (differ + noise) : by;
                doubt[k] *= noise / (most + noise);
            }
        }
        for (; i < j; i++) {
            size_t k = (size_t)g[i].at;
            double here = weigh_bin(&g[i], k), there = weigh_bin(&g[i], k + 1);
            g[i].ratio *= here * factor[k] + there * factor[k + 1];
            g[i].doubt += here * doubt[k] + there * doubt[k + 1];
        }
    }
}

/* Windows of a class that hold different numbers of lines: by how much the counts differ beyond the
 * noise of the draws. All windows of the class get the mean ratio, whose error is a part of that
 * difference. */
static void differ_within(guess *g, size_t n)
{
    static const double part = 0.4;
    for (size_t i = 0, j; i < n; i = j) {
        double sum = 0, noise = 0, weight = 0;
        for (j = i; j < n && g[j].class == g[i].class; j++) {
            if (!g[j].x->draws)
                continue;
            double guessed = g[j].ratio * (g[j].x->distance - 1), w = g[j].x->weight;
            double by = g[j].x->lines / guessed - 1, v = variance_of(&g[j]) / (guessed * guessed);
            w /= 1 + v / noisy;
            sum += w * (by * by - v);
            noise += 2 * w * w * v * v;
            weight += w;
        }
        double more = weight > 0 ? (sum - sqrt(noise)) / weight : 0;
        for (; i < j; i++)
            g[i].doubt += more > 0 ? part * fmin(more, 1) : 0;
    }
}

pluss_status plussi_clock_calibrate(plussi_ctx *ctx, plussi_clock_plan *plan)
{
    guess *g = plussi_alloc(&ctx->mem, 2 * plan->n + 1, sizeof *g);
    plussi_keyed *order = plussi_alloc(&ctx->mem, 2 * plan->n + 1, sizeof *order);
    if (!g || !order) {
        plussi_free(&ctx->mem, g);
        plussi_free(&ctx->mem, order);
        return PLUSS_ENOMEM;
    }
    size_t n = 0, counted = 0;
    for (size_t i = 0; i < plan->n; i++) {
        plussi_clock_sample *x = &plan->sample[i];
        if (x->cold || (x->exact && !x->draws))
            continue;
        counted += x->draws > 0;
        g[n++] = (guess){.x = x, .at = PER_OCTAVE * log2((double)x->interval) + 0.5, .ratio = 1};
    }
    for (int level = 0; level < LEVELS && counted; level++) {
        for (size_t i = 0; i < n; i++)
            g[i].class = class_of(g[i].x, level);
        sort_by_class(g, n, g + plan->n, order);
        improve_guesses(g, n);
    }
    for (size_t i = 0; i < n; i++)
        g[i].class = class_of(g[i].x, 1);
    sort_by_class(g, n, g + plan->n, order);
    differ_within(g, n);
    for (size_t i = 0; i < n; i++) {
        g[i].x->distance = 1 + g[i].ratio * (g[i].x->distance - 1);
        g[i].x->doubt = g[i].doubt / (M_LN2 * M_LN2);
    }
    plussi_free(&ctx->mem, g);
    plussi_free(&ctx->mem, order);
    return PLUSS_OK;
}

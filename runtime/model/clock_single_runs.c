/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far the curve of a single run is from the mean over runs, under uniform progress. The same
 * accesses are evaluated in several runs. The excess of a run's misses over their mean is a sum
 * over accesses, and its variance a sum over pairs of accesses. Pairs are classed by how far apart
 * in time the two are: neighbours, pairs of these, and so on, up to the halves of the program.
 * docs/models.md, "From run to run".
 */
#include <math.h>
#include <stdlib.h>

#include "model/clock_state.h"

enum {
    ALONE,      /* each access by itself */
    PAIRS,      /* first level of pairs */
    LEVELS = 34 /* all levels */
};

/* What pairs from the two halves of a block add to the variance, over all blocks of one size; and
 * the variance of that, if the two halves are not correlated. */
typedef struct level {
    double sum, noise;
} level;

typedef struct table {
    uint32_t runs;
    size_t n;                           /* accesses, in order of time */
    int end;                            /* number of levels */
    const plussi_clock_sample **sample; /* of access i in run r: [i * runs + r] */
    double *least, *most;               /* range of an access's distances; cold: infinite */
    double *excess;                     /* by block: misses of each run in excess of the mean */
    size_t *block;                      /* numbers of the blocks */
} table;

/* ---- the accesses that are evaluated again --------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const plussi_clock_sample *x = a, *y = b;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

pluss_status plussi_clock_positions(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                    plussi_clock_plan *out)
{
    plussi_clock_sample *sample = plussi_alloc(&ctx->mem, plan->n + 1, sizeof *sample);
    if (!sample)
        return PLUSS_ENOMEM;
    *out = *plan;
    out->sample = sample;
    out->n = 0;
    for (size_t i = 0; i < plan->n; i++)
        if (plan->sample[i].replication == 0)
            sample[out->n++] = plan->sample[i];
    qsort(sample, out->n, sizeof *sample, by_time);
    for (size_t i = 0; i < out->n; i++) {
        const plussi_clock_sample *x = &sample[i];
        sample[i] = (plussi_clock_sample){.number = x->number,
                                          .stratum = x->stratum,
                                          .drawn = x->drawn,
                                          .part = x->part,
                                          .place = (uint32_t)i};
    }
    return PLUSS_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void free_table(plussi_ctx *ctx, table *t)
{
    plussi_free(&ctx->mem, t->sample);
    plussi_free(&ctx->mem, t->least);
    plussi_free(&ctx->mem, t->excess);
    plussi_free(&ctx->mem, t->block);
}

static pluss_status make_table(plussi_ctx *ctx, const plussi_clock_plan *plan, uint32_t first,
                               uint32_t runs, size_t n, table *t)
{
    *t = (table){.runs = runs, .n = n, .end = PAIRS};
    while (t->end < LEVELS && n > (size_t)1 << (t->end - PAIRS))
        t->end++;
    t->sample = plussi_calloc(&ctx->mem, n * runs + 1, sizeof *t->sample);
    t->least = plussi_calloc(&ctx->mem, 2 * n + 1, sizeof *t->least);
    t->excess = plussi_calloc(&ctx->mem, n * runs + 1, sizeof *t->excess);
    t->block = plussi_calloc(&ctx->mem, n + 1, sizeof *t->block);
    if (!t->sample || !t->least || !t->excess || !t->block) {
        free_table(ctx, t);
        return PLUSS_ENOMEM;
    }
    t->most = t->least + n;
    for (size_t i = 0; i < plan->n; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        if (x->replication >= first)
            t->sample[x->place * (size_t)runs + (x->replication - first)] = x;
    }
    for (size_t i = 0; i < n; i++) {
        t->least[i] = HUGE_VAL;
        t->most[i] = 0;
        for (uint32_t r = 0; r < runs; r++) {
            const plussi_clock_sample *x = t->sample[i * runs + r];
            double distance = x->cold ? HUGE_VAL : x->distance;
            t->least[i] = fmin(t->least[i], distance);
            t->most[i] = fmax(t->most[i], distance);
        }
    }
    return PLUSS_OK;
}

/* ---- one size -------------------------------------------------------------------------------- */

/* Excess of the access's misses over their mean over the runs. The number of cold accesses is the
 * same in every run: a cold access counts 0, a warm one by its misses in excess of the mean of all
 * warm ones. */
static void find_excess(const table *t, size_t i, double size, double mean, double *out)
{
    double sum = 0, weight = t->sample[i * t->runs]->drawn;
    for (uint32_t r = 0; r < t->runs; r++) {
        const plussi_clock_sample *x = t->sample[i * t->runs + r];
        out[r] = x->cold ? 0 : weight * ((x->distance > size) - mean);
        sum += out[r] / t->runs;
    }
    for (uint32_t r = 0; r < t->runs; r++)
        out[r] -= sum;
}

/* Makes a block of each access whose misses differ from run to run; returns their number. */
static size_t make_blocks(const table *t, double size, double mean)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (t->least[i] > size ? t->most[i] < HUGE_VAL || t->least[i] == HUGE_VAL
                               : t->most[i] <= size)
            continue;
        t->block[n] = i;
        find_excess(t, i, size, mean, t->excess + n++ * t->runs);
    }
    return n;
}

static double sum_products(const table *t, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t r = 0; r < t->runs; r++)
        sum += a[r] * b[r];
    return sum / (t->runs - 1);
}

/* Joins pairs of blocks into one; returns the number of blocks. */
static size_t join_halves(const table *t, size_t n, level *out)
{
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        double *a = t->excess + i * t->runs, *b = a + t->runs;
        size_t number = t->block[i] / 2;
        if (i + 1 < n && t->block[i + 1] / 2 == number) {
            out->sum += 2 * sum_products(t, a, b);
            out->noise += 4 * sum_products(t, a, a) * sum_products(t, b, b) / (t->runs - 1);
            for (uint32_t r = 0; r < t->runs; r++)
                a[r] += b[r];
            i++;
        }
        t->block[to] = number;
        for (uint32_t r = 0; r < t->runs; r++)
            t->excess[to * t->runs + r] = a[r];
        to++;
    }
    return to;
}

static void add_levels(const table *t, double size, double mean, level *out)
{
    size_t n = make_blocks(t, size, mean);
    for (size_t i = 0; i < n; i++) {
        const double *x = t->excess + i * t->runs;
        out[ALONE].sum += sum_products(t, x, x) / t->sample[t->block[i] * t->runs]->drawn;
    }
    for (int l = PAIRS; l < t->end; l++)
        n = join_halves(t, n, &out[l]);
}

/* Relative sizes of the levels if misses are correlated over blocks of 2^scale accesses: pairs
 * double from level to level up to there; beyond, only the edges of blocks meet. */
static double shape_at(int i, int scale)
{
    int l = i - PAIRS;
    return exp2(l <= scale ? l : 2 * scale - l);
}

/* The amount of this shape in the levels, by weighted least squares; *certain: that in standard
 * errors. */
static double fit_shape(const level *l, int end, int scale, double *certain)
{
    double sum = 0, squares = 0;
    for (int i = PAIRS; i < end; i++) {
        double f = shape_at(i, scale);
        if (l[i].noise > 0) {
            sum += f * l[i].sum / l[i].noise;
            squares += f * f / l[i].noise;
        }
    }
    *certain = squares > 0 ? sum / sqrt(squares) : 0;
    return squares > 0 ? sum / squares : 0;
}

/* Takes the most certain shape out of the levels and returns what it adds to the variance; 0: none
 * is certain. */
static double take_shape(level *l, int end)
{
    static const double sure = 2; /* standard errors */
    double best = sure, amplitude = 0, sum = 0;
    int scale = 0;
    for (int t = 0; t < end - PAIRS; t++) {
        double certain, a = fit_shape(l, end, t, &certain);
        if (certain > best) {
            best = certain;
            amplitude = a;
            scale = t;
        }
    }
    for (int i = PAIRS; i < end; i++) {
        l[i].sum -= amplitude * shape_at(i, scale);
        sum += amplitude * shape_at(i, scale);
    }
    return sum;
}

/* Sums fitted shapes: a sum level by level would include the noise. */
static double variance_of(level *l, int end)
{
    enum { SCALES = 4 };
    double sum = l[ALONE].sum, more = 1;
    for (int i = 0; i < SCALES && more > 0; i++)
        sum += more = take_shape(l, end);
    return sum;
}

/* Fraction of the warm accesses that miss. */
static double mean_miss(const plussi_clock_plan *plan, double size)
{
    double missed = 0, warm = 0;
    for (size_t i = 0; i < plan->n; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        warm += x->cold ? 0 : x->weight;
        missed += !x->cold && x->distance > size ? x->weight : 0;
    }
    return warm > 0 ? missed / warm : 0;
}

pluss_status plussi_clock_single_runs(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                      uint32_t first, uint32_t runs, size_t accesses,
                                      const double *size, size_t n, double *out)
{
    table t;
    pluss_status status = make_table(ctx, plan, first, runs, accesses, &t);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        level l[LEVELS] = {0};
        add_levels(&t, size[i], mean_miss(plan, size[i]), l);
        double variance = variance_of(l, t.end);
        out[i] = variance > 0 ? sqrt(variance) / plan->accesses : 0;
    }
    free_table(ctx, &t);
    return PLUSS_OK;
}

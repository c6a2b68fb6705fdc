/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of distinct lines, pooled. A count from a few draws is too noisy to be a distance by
 * itself (the curve of noisy distances is blurred, and so biased); but the ratio of count to AET
 * distance varies little among windows of the same length in the same part of the program. The
 * ratio of the sums corrects AET there, and tells how far it is off.
 */
#include <math.h>

#include "model/clock_state.h"

enum {
    PER_OCTAVE = 2,
    WIDE = 2 * PER_OCTAVE, /* bins together, to see whether AET is off */
    BINS = 64 * PER_OCTAVE,
    /* samples' worth of trust in the broader ratio: of 1 for a loop's, of a loop's for a part's */
    TRUST_ONE = 4,
    TRUST_LOOP = 8
};

/* Variance, in octaves, of a ratio that says nothing. */
static const double too_noisy = 0.1;

typedef struct pool {
    double lines, aet, variance, weight, n;
} pool;

/* Pools of loops, then of their parts; windows within a phase and across barriers apart. */
typedef struct pools {
    size_t loops, parts;
    pool *pool;
} pools;

static double bin_at(const plussi_clock_sample *x)
{
    return PER_OCTAVE * log2((double)x->interval);
}

static pool *of_loop(const pools *p, const plussi_clock_sample *x)
{
    return p->pool + ((size_t)(x->part / PLUSSI_CLOCK_PROGRESS) * 2 + x->cross) * BINS;
}

static pool *of_part(const pools *p, const plussi_clock_sample *x)
{
    return p->pool + ((p->loops + x->part) * 2 + x->cross) * BINS;
}

static bool is_estimate(const plussi_clock_sample *x)
{
    return !x->cold && !x->listed && x->counted;
}

static void add(pool *p, const plussi_clock_sample *x)
{
    p->lines += x->weight * x->lines;
    p->aet += x->weight * (x->distance - 1);
    p->variance += x->weight * x->weight * x->variance;
    p->weight += x->weight;
    p->n++;
}

static pluss_status fill(plussi_ctx *ctx, const plussi_clock_plan *plan, pools *p)
{
    p->parts = plan->n_parts;
    p->loops = plan->n_parts / PLUSSI_CLOCK_PROGRESS;
    p->pool = plussi_calloc(&ctx->mem, (p->loops + p->parts) * 2 * BINS, sizeof *p->pool);
    if (!p->pool)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < plan->n; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        if (!is_estimate(x))
            continue;
        size_t bin = (size_t)bin_at(x);
        add(of_loop(p, x) + bin, x);
        add(of_part(p, x) + bin, x);
    }
    return PLUSS_OK;
}

/* Shifting distances by a factor r moves weight w of the curve by |log2 r| octaves: that changes
 * the miss ratio by w over so much of the sizes' log2(footprint) octaves. Taken as a root mean
 * square, from which the variance that the draws alone would cause is taken off. */
pluss_status plussi_clock_suspect(plussi_ctx *ctx, const plussi_clock_plan *plan, double footprint,
                                  double *out)
{
    pools p;
    pluss_status status = fill(ctx, plan, &p);
    if (status)
        return status;
    double sum = 0, weight = 0, octaves = log2(footprint > 2 ? footprint : 2);
    for (size_t i = 0; i < p.loops * 2 * BINS; i += WIDE) {
        pool x = {0};
        for (size_t k = i; k < i + WIDE; k++) {
            x.lines += p.pool[k].lines;
            x.aet += p.pool[k].aet;
            x.variance += p.pool[k].variance;
            x.weight += p.pool[k].weight;
        }
        if (!(x.aet > 0) || !(x.lines > 0))
            continue;
        double shift = log2(x.lines / x.aet);
        double noise = x.variance / (x.lines * x.lines) / (M_LN2 * M_LN2);
        if (noise > too_noisy)
            continue;
        sum += x.weight * (shift * shift - noise);
        weight += x.weight;
    }
    plussi_free(&ctx->mem, p.pool);
    *out = sum > 0 ? sqrt(sum / weight) * weight / plan->accesses / octaves : 0;
    return PLUSS_OK;
}

static double trusted(const pool *p, double prior, double trust)
{
    double ratio = p->aet > 0 ? p->lines / p->aet : prior;
    return (ratio * p->n + prior * trust) / (p->n + trust);
}

pluss_status plussi_clock_calibrate(plussi_ctx *ctx, plussi_clock_plan *plan)
{
    pools p;
    pluss_status status = fill(ctx, plan, &p);
    if (status)
        return status;
    for (size_t i = 0; i < plan->n; i++) {
        plussi_clock_sample *x = &plan->sample[i];
        if (x->cold || x->listed)
            continue;
        double at = bin_at(x) - 0.5, ratio = 0; /* between the middles of two bins */
        size_t bin = (size_t)at;
        for (size_t k = bin; k < bin + 2 && k < BINS; k++) {
            double near = 1 - fabs(at - (double)k);
            double loop = trusted(of_loop(&p, x) + k, 1, TRUST_ONE);
            ratio += near * trusted(of_part(&p, x) + k, loop, TRUST_LOOP);
        }
        x->distance = 1 + ratio * (x->distance - 1);
    }
    plussi_free(&ctx->mem, p.pool);
    return PLUSS_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests whether AET is off: compares counts of distinct lines with AET's, summed over windows of
 * about one length in one loop.
 */
#include <math.h>

#include "model/clock_state.h"

enum {
    OCTAVES = 2, /* of the interval, pooled */
    BINS = 64 / OCTAVES
};

/* Variance, in octaves squared, of a ratio too noisy to use. */
static const double too_noisy = 0.1;

typedef struct pool {
    double lines, aet, variance, weight;
} pool;

/* Scaling the distances of weight w of the curve by r shifts it by |log2 r| octaves and changes the
 * miss ratio by w over that many of the log2(footprint) octaves of sizes. The result is a root mean
 * square, without the variance that the draws alone would cause. */
pluss_status plussi_clock_misfit(plussi_ctx *ctx, const plussi_clock_plan *plan, double footprint,
                                 double *out)
{
    size_t n = (size_t)plan->n_parts / PLUSSI_CLOCK_PROGRESS * 2 * BINS;
    pool *pools = plussi_calloc(&ctx->mem, n + 1, sizeof *pools);
    if (!pools)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < plan->n; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        if (x->cold || !x->draws)
            continue;
        size_t loop = x->part / PLUSSI_CLOCK_PROGRESS;
        pool *p =
            pools + (loop * 2 + x->cross) * BINS + (size_t)log2((double)x->interval) / OCTAVES;
        p->lines += x->weight * x->lines;
        p->aet += x->weight * (x->distance - 1);
        p->variance += x->weight * x->weight * x->variance;
        p->weight += x->weight;
    }
    double sum = 0, weight = 0, octaves = log2(footprint > 2 ? footprint : 2);
    for (const pool *p = pools; p < pools + n; p++) {
        if (!(p->aet > 0) || !(p->lines > 0))
            continue;
        double shift = log2(p->lines / p->aet);
        double noise = p->variance / (p->lines * p->lines) / (M_LN2 * M_LN2);
        if (noise > too_noisy)
            continue;
        sum += p->weight * (shift * shift - noise);
        weight += p->weight;
    }
    plussi_free(&ctx->mem, pools);
    *out = sum > 0 ? sqrt(sum / weight) * weight / plan->accesses / octaves : 0;
    return PLUSS_OK;
}

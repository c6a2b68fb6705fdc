/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of distinct lines, pooled. A count from a few draws is too noisy to be a distance by
 * itself (the curve of noisy distances is blurred, and so biased); but the ratio of count to AET
 * distance varies little among windows of the same length in the same part of the program. The
 * ratio of the sums corrects AET there.
 */
#include <math.h>
#include <stdlib.h>

#include "model/clock_state.h"

enum { BINS = 2 * 64, PER_OCTAVE = 2 };

typedef struct pool {
    double lines, aet, n;
} pool;

static double bin_at(const plussi_clock_sample *x)
{
    return PER_OCTAVE * log2((double)x->interval);
}

static double shrunk(const pool *p, double prior, double strength)
{
    double aet = p->aet > 0 ? p->aet : 1;
    double w = p->n;
    return (p->lines / aet * w + prior * strength) / (w + strength);
}

pluss_status plussi_clock_calibrate(plussi_ctx *ctx, plussi_clock_plan *plan)
{
    uint32_t loops = plan->n_parts / 8;
    size_t coarse = (size_t)loops * 2 * BINS, fine = (size_t)plan->n_parts * 2 * BINS;
    pool *c = plussi_calloc(&ctx->mem, coarse + fine, sizeof *c), *f = c + coarse;
    if (!c)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < plan->n; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        if (x->cold || x->listed)
            continue;
        size_t bin = (size_t)bin_at(x);
        pool *both[2] = {&c[((size_t)(x->part / 8) * 2 + x->cross) * BINS + bin],
                         &f[((size_t)x->part * 2 + x->cross) * BINS + bin]};
        for (int k = 0; k < 2; k++) {
            both[k]->lines += x->weight * x->lines;
            both[k]->aet += x->weight * (x->distance - 1);
            both[k]->n += 1;
        }
    }
    for (size_t i = 0; i < plan->n; i++) {
        plussi_clock_sample *x = &plan->sample[i];
        if (x->cold || x->listed)
            continue;
        double at = bin_at(x) - 0.5, ratio = 0;
        size_t bin = (size_t)at;
        double part = at - (double)bin;
        for (int k = 0; k < 2; k++) {
            const pool *pc = &c[((size_t)(x->part / 8) * 2 + x->cross) * BINS + bin + k];
            const pool *pf = &f[((size_t)x->part * 2 + x->cross) * BINS + bin + k];
            double prior = shrunk(pc, 1, 4);
            ratio += (k ? part : 1 - part) * shrunk(pf, prior, 8);
        }
        x->distance = 1 + ratio * (x->distance - 1);
    }
    plussi_free(&ctx->mem, c);
    return PLUSS_OK;
}

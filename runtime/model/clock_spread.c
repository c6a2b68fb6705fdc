/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much the curve differs from one draw of rates, or one recorded run, to another. The curves of
 * the draws differ by this and by sampling. The part of sampling is small, as all curves take the
 * weights of strata from all replications together, and the rest of it is subtracted: it is known,
 * as samples are independent within a stratum. docs/models.md, "From run to run".
 */
#include <math.h>

#include "model/clock_state.h"

/* One stratum, samples [a, b), at one size: adds it to each draw's curve, and its part to the
 * variance that sampling causes on average. Draws without a sample in it get the mean. */
static double add_stratum(const plussi_clock_plan *plan, size_t a, size_t b, uint32_t draws,
                          double size, uint32_t *n, uint32_t *missed, double *curve)
{
    double weight = 0;
    uint32_t all = (uint32_t)(b - a), misses = 0;
    for (uint32_t d = 0; d < draws; d++)
        n[d] = missed[d] = 0;
    for (size_t i = a; i < b; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        uint32_t miss = x->cold || x->distance > size, d = x->replication % draws;
        weight += x->weight;
        n[d]++;
        missed[d] += miss;
        misses += miss;
    }
    double mean = (double)misses / all, within = 0, freedom = 0, variance = 0;
    for (uint32_t d = 0; d < draws; d++) {
        double share = n[d] ? (double)missed[d] / n[d] : mean;
        curve[d] += weight * share;
        within += n[d] * share * (1 - share);
        freedom += n[d] ? n[d] - 1 : 0;
    }
    /* within draws if they have several samples, else between them */
    double each = freedom > 0 ? within / freedom
                  : all > 1   ? all * mean * (1 - mean) / (all - 1)
                              : 0;
    for (uint32_t d = 0; d < draws; d++)
        variance += n[d] ? weight * weight * each / n[d] : 0;
    return variance / draws;
}

static double spread_at(const plussi_clock_plan *plan, uint32_t draws, double size, uint32_t *n,
                        double *curve)
{
    double sampling = 0, mean = 0, squares = 0;
    for (uint32_t d = 0; d < draws; d++)
        curve[d] = 0;
    for (size_t a = 0, b; a < plan->n; a = b) {
        for (b = a; b < plan->n && plan->sample[b].stratum == plan->sample[a].stratum;)
            b++;
        sampling += add_stratum(plan, a, b, draws, size, n, n + draws, curve);
    }
    for (uint32_t d = 0; d < draws; d++)
        mean += curve[d] / draws;
    for (uint32_t d = 0; d < draws; d++)
        squares += (curve[d] - mean) * (curve[d] - mean);
    return (squares / (draws - 1) - sampling) / (plan->accesses * plan->accesses);
}

pluss_status plussi_clock_spread(plussi_ctx *ctx, plussi_clock_plan *plan, uint32_t draws,
                                 const double *size, size_t n, double *out)
{
    enum { NEAR = 4 /* sizes on either side: half an octave */ };
    uint32_t *count = plussi_calloc(&ctx->mem, 2 * (size_t)draws, sizeof *count);
    double *curve = plussi_calloc(&ctx->mem, draws + n, sizeof *curve);
    static const plussi_clock_key by_stratum[] = {
        plussi_clock_key_stratum, plussi_clock_key_replication, plussi_clock_key_number};
    pluss_status status =
        count && curve ? plussi_clock_order(ctx, plan, by_stratum, 3) : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++)
        curve[draws + i] = spread_at(plan, draws, size[i], count, curve);
    for (size_t i = 0; i < n && !status; i++) {
        double sum = 0;
        size_t from = i > NEAR ? i - NEAR : 0, to = i + NEAR < n ? i + NEAR + 1 : n;
        for (size_t j = from; j < to; j++)
            sum += curve[draws + j];
        out[i] = sum > 0 ? sqrt(sum / (double)(to - from)) : 0;
    }
    plussi_free(&ctx->mem, count);
    plussi_free(&ctx->mem, curve);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Error of the curve at each size: docs/models.md, "Stated error".
 */
#include <math.h>

#include "base/bisect.h"
#include "model/clock_state.h"

enum { NEAR = 4 /* sizes on either side: half an octave */ };

/* Errors that no sampling reduces and counting does not show: distances off by `shift` octaves, and
 * miss ratio `rest` where the curve is flat. */
static const double shift = 1.0 / 16, rest = 0.0013;

typedef struct error {
    const plussi_clock_plan *plan;
    const double *size;
    size_t n;
    double accesses;
    double *misses;  /* warm weight, as note_misses() has it */
    double *strata;  /* by size: variance of the misses that sampling within strata causes */
    double *pilot;   /* variance that the estimated weights of strata cause */
    double *between; /* variance between replications, which includes both */
    double *part;    /* workspace */
} error;

/* The first size that holds the distance; n: none does. */
static size_t find_holding_size(const error *e, double distance)
{
    PLUSSI_BISECT(size_t, i, 0, e->n, e->size[i] >= distance);
    return i;
}

/* ---- sampling ----------------------------------------------------------------------------------
 */

/* Notes the weight of a warm sample as differences: once summed up, [0] holds all weights and [i +
 * 1] those that miss at size i. */
static void note_misses(const error *e, const plussi_clock_sample *x, double weight, double *missed)
{
    missed[0] += weight;
    missed[find_holding_size(e, x->distance) + 1] -= weight;
}

static void add_up(double *missed, size_t n)
{
    for (size_t i = 0; i < n; i++)
        missed[i + 1] += missed[i];
}

/* One stratum, samples [a, b): returns the variance within it at each size. Adds its misses in
 * excess of the whole program's to mean and square: by these the weights from the pilot sample
 * matter. */
static double add_stratum(error *e, size_t a, size_t b, double *mean, double *square)
{
    double weight = 0, n = (double)(b - a), *missed = e->part;
    for (size_t i = 0; i < e->n + 2; i++)
        missed[i] = 0;
    for (size_t i = a; i < b; i++) {
        const plussi_clock_sample *x = &e->plan->sample[i];
        weight += x->weight;
        if (!x->cold)
            note_misses(e, x, 1, missed);
    }
    add_up(missed, e->n);
    for (size_t i = 0; i < e->n && missed[0] > 0; i++) {
        double p = e->misses[i + 1] / e->misses[0], misses = missed[i + 1];
        double hits = missed[0] - misses, sum = misses * (1 - p) - hits * p;
        double squares = misses * (1 - p) * (1 - p) + hits * p * p;
        double variance = b - a > 1 ? (squares - sum * sum / n) / (n - 1) : squares;
        e->strata[i] += variance > 0 ? weight * weight * variance / n : 0; /* not by rounding */
        mean[i] += weight * sum / n;
        square[i] += weight * sum / n * sum / n;
    }
    return weight;
}

/* pilot: accesses that one of the pilot samples of all replications stands for. */
static void add_group(error *e, double weight, double pilot, double *mean, double *square)
{
    for (size_t i = 0; i < e->n; i++) {
        double variance = square[i] - mean[i] * mean[i] / weight;
        e->pilot[i] += variance > 0 ? variance * pilot : 0;
        mean[i] = square[i] = 0;
    }
}

/* Two-phase sampling (Neyman 1938): within a group whose number of accesses is known the weights of
 * strata are estimated from a pilot sample. */
static void by_strata(error *e, uint32_t replications, double *mean, double *square)
{
    const plussi_clock_sample *x = e->plan->sample;
    double weight = 0;
    for (size_t a = 0, b; a < e->plan->n; a = b) {
        for (b = a + 1; b < e->plan->n && x[b].stratum == x[a].stratum && x[b].group == x[a].group;)
            b++;
        weight += add_stratum(e, a, b, mean, square);
        if (b == e->plan->n || x[b].group != x[a].group) {
            add_group(e, weight, x[a].pilot / replications, mean, square);
            weight = 0;
        }
    }
}

/* Adds the variance of the mean of the replications' curves. */
static void by_replication(error *e, uint32_t replications, double *curve)
{
    size_t room = e->n + 2;
    for (size_t i = 0; i < e->plan->n; i++) {
        const plussi_clock_sample *x = &e->plan->sample[i];
        if (!x->cold)
            note_misses(e, x, x->weight, curve + x->replication * room);
    }
    for (uint32_t r = 0; r < replications; r++) {
        double *missed = curve + r * room;
        add_up(missed, e->n);
        for (size_t i = 1; i <= e->n && missed[0] > 0; i++)
            missed[i] *= e->misses[0] / missed[0];
    }
    for (size_t i = 0; i < e->n; i++) {
        double mean = 0, squares = 0;
        for (uint32_t r = 0; r < replications; r++)
            mean += curve[r * room + i + 1] / replications;
        for (uint32_t r = 0; r < replications; r++) {
            double d = curve[r * room + i + 1] - mean;
            squares += d * d;
        }
        e->between[i] = squares / (replications - 1.0) / replications;
    }
}

/* Variance of the sum of misses. Strata estimate it well, except for the differences between
 * realisations of dispatched loops, which only the few replications show, with a large error. */
static double sampling_variance(const error *e, size_t i)
{
    double known = 0, seen = 0;
    size_t from = i > NEAR ? i - NEAR : 0, to = i + NEAR < e->n ? i + NEAR + 1 : e->n;
    for (size_t j = from; j < to; j++) {
        known += (e->strata[j] + e->pilot[j]) / (double)(to - from);
        seen += e->between[j] / (double)(to - from);
    }
    return e->strata[i] + e->pilot[i] + (seen > known ? seen - known : 0);
}

/* ---- distances ---------------------------------------------------------------------------------
 */

/* Sums the weight within its doubt of each size, squares it and adds it to out. Errors of windows
 * of one loop are taken to be equal, those of different loops to be independent. */
static void add_doubt(error *e, uint32_t loops, double *unit, double *out)
{
    size_t room = e->n + 2;
    for (size_t i = 0; i < e->plan->n; i++) {
        const plussi_clock_sample *x = &e->plan->sample[i];
        if (x->cold || x->exact)
            continue;
        double by = exp2(sqrt(x->doubt + shift * shift));
        double *at = unit + (x->part / PLUSSI_CLOCK_PROGRESS * 2 + x->cross) * room;
        at[find_holding_size(e, x->distance / by)] += x->weight / 2;
        at[find_holding_size(e, x->distance * by)] -= x->weight / 2;
    }
    for (uint32_t u = 0; u < 2 * loops; u++) {
        add_up(unit + u * room, e->n);
        for (size_t i = 0; i < e->n; i++)
            out[i] += unit[u * room + i] * unit[u * room + i];
    }
}

pluss_status plussi_clock_error(plussi_ctx *ctx, plussi_clock_plan *plan, uint32_t replications,
                                plussi_clock_result *out)
{
    uint32_t loops = plan->n_parts / PLUSSI_CLOCK_PROGRESS;
    size_t n = out->estimate.n_points, room = n + 2;
    size_t curves = replications > 2 * loops ? replications : 2 * loops;
    error e = {.plan = plan, .size = out->estimate.size, .n = n, .accesses = plan->accesses};
    static const plussi_clock_key by_stratum[] = {plussi_clock_key_group, plussi_clock_key_stratum,
                                                  plussi_clock_key_replication,
                                                  plussi_clock_key_number};
    pluss_status status = plussi_clock_order(ctx, plan, by_stratum, 4);
    if (status)
        return status;
    double *all = plussi_calloc(&ctx->mem, (8 + curves) * room, sizeof *all);
    if (!all)
        return PLUSS_ENOMEM;
    e.misses = all;
    e.strata = all + room;
    e.pilot = all + 2 * room;
    e.between = all + 3 * room;
    e.part = all + 4 * room;
    double *mean = all + 5 * room, *square = all + 6 * room, *own = all + 7 * room;
    double *many = all + 8 * room;
    for (size_t i = 0; i < plan->n; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        if (!x->cold)
            note_misses(&e, x, x->weight, e.misses);
    }
    add_up(e.misses, n);
    by_strata(&e, replications, mean, square);
    by_replication(&e, replications, many);
    for (size_t i = 0; i < curves * room; i++)
        many[i] = 0;
    add_doubt(&e, loops, many, own);
    out->estimate.mean_error = 0;
    for (size_t i = 0; i < n; i++) {
        double variance = sampling_variance(&e, i);
        out->estimate.mean_error += sqrt(variance) / e.accesses / (double)n;
        out->estimate.error[i] =
            sqrt((variance + own[i]) / (e.accesses * e.accesses) + rest * rest);
    }
    plussi_free(&ctx->mem, all);
    return PLUSS_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/similarity.h"

#include <math.h>

/* ---- bins --------------------------------------------------------------------------------------
 */

/* Of a depth, from 1. */
static size_t find_bin(double depth, plussi_binning binning, double line_bytes)
{
    const double linear = 128 * 1024 / line_bytes; /* lines */
    if (binning == PLUSSI_BINNING_OCTAVES)
        return (size_t)floor(8 * log2(depth));
    if (depth <= linear)
        return (size_t)ceil(log2(depth));
    return (size_t)(ceil(log2(linear)) + ceil((depth - linear) / linear));
}

static uint64_t find_deepest(const plussi_histo *histo)
{
    uint64_t most = 0;
    for (size_t i = 0; i < histo->cap; i++)
        if (histo->slot[i].weight > 0 && histo->slot[i].key >= most)
            most = histo->slot[i].key + 1;
    return most;
}

static double *fill_bins(const plussi_histo *histo, plussi_binning binning, double line_bytes,
                         size_t n)
{
    double *bin = plussi_calloc(&histo->mem, n, sizeof *bin);
    for (size_t i = 0; i < histo->cap && bin; i++)
        if (histo->slot[i].weight > 0)
            bin[find_bin((double)histo->slot[i].key + 1, binning, line_bytes)] +=
                histo->slot[i].weight;
    return bin;
}

pluss_status plussi_compare_profiles(const plussi_histo *predicted, const plussi_histo *measured,
                                     plussi_binning binning, uint32_t line_bytes,
                                     plussi_similarity *out)
{
    const double of_predicted = (double)find_deepest(predicted);
    const double of_measured = (double)find_deepest(measured);
    const double deepest = fmax(of_predicted, of_measured);
    *out = (plussi_similarity){1, 1};
    if (deepest == 0)
        return PLUSS_OK;
    const size_t n = find_bin(deepest, binning, line_bytes) + 1;
    double *p = fill_bins(predicted, binning, line_bytes, n);
    double *m = fill_bins(measured, binning, line_bytes, n);
    const pluss_status status = p && m ? PLUSS_OK : PLUSS_ENOMEM;
    double off = 0, all = 0, half = 0, errors = 0;
    if (!status && of_measured > 0)
        half = binning == PLUSSI_BINNING_PAPER
                   ? floor((double)(find_bin(of_measured, binning, line_bytes) + 1) / 2)
                   : (double)find_bin(fmax(of_measured / 2, 1), binning, line_bytes);
    double misses_p = predicted->coherence, misses_m = measured->coherence;
    for (size_t i = n; i-- > 0 && !status;) {
        off += fabs(p[i] - m[i]);
        all += m[i];
        misses_p += p[i];
        misses_m += m[i];
        if ((double)i <= half && misses_m > 0)
            errors += fabs(misses_p - misses_m) / misses_m;
    }
    if (!status)
        *out =
            (plussi_similarity){all > 0 ? fmax(1 - off / 2 / all, 0) : 0, 1 - errors / (half + 1)};
    plussi_free(&predicted->mem, p);
    plussi_free(&measured->mem, m);
    return status;
}

/* ---- sizes -------------------------------------------------------------------------------------
 */

static double count_misses(const plussi_mrc *mrc, double size)
{
    return mrc->accesses * plussi_mrc_at(mrc, size);
}

/* The curve's first step after a size. */
static double next_step(const plussi_mrc *mrc, double after)
{
    size_t low = 0, high = mrc->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (mrc->size[middle] > after)
            high = middle;
        else
            low = middle + 1;
    }
    return low < mrc->n ? mrc->size[low] : INFINITY;
}

double plussi_find_c_core(const plussi_mrc *one, const plussi_mrc *many)
{
    const double half = many->size[many->n - 1] / 2;
    const double merged = count_misses(many, half) / count_misses(one, half);
    size_t i = one->n, k = many->n;
    double after = half; /* sizes from there on have been looked at */
    while (i > 0 || k > 0) {
        const double at = fmax(i ? one->size[i - 1] : 0, k ? many->size[k - 1] : 0);
        i -= i && one->size[i - 1] == at;
        k -= k && many->size[k - 1] == at;
        if (at >= half)
            continue;
        if (count_misses(many, at) >= 1.5 * merged * count_misses(one, at))
            return after;
        after = at;
    }
    return 0;
}

bool plussi_find_growth(const plussi_mrc *one, const plussi_mrc *many, double least, double c_core,
                        double *mean, double *greatest)
{
    double sum = 0, most = 0;
    if (!(c_core > least))
        return false;
    for (double at = least, next; at < c_core; at = next) {
        next = fmin(fmin(next_step(one, at), next_step(many, at)), c_core);
        const double times = count_misses(many, at) / count_misses(one, at);
        sum += times * (next - at);
        most = fmax(most, times);
    }
    *mean = sum / (c_core - least);
    *greatest = most;
    return true;
}

/* The next total size at which one of two curves changes, of a shared cache and of as many private
 * ones as there are threads. */
typedef struct sizes {
    const plussi_mrc *shared, *own;
    uint32_t team;
    size_t i, k;
    double at, own_at; /* of all caches, and of a private one */
} sizes;

static bool next_step_of_both(sizes *s)
{
    const double a = s->i < s->shared->n ? s->shared->size[s->i] : INFINITY;
    const double b = s->k < s->own->n ? s->team * s->own->size[s->k] : INFINITY;
    s->at = fmin(a, b);
    s->i += a == s->at && isfinite(a);
    s->k += b == s->at && isfinite(b);
    /* a size that is the product of a step and the team is at the step */
    s->own_at = b == s->at && isfinite(b) ? s->own->size[s->k - 1] : s->at / s->team;
    return isfinite(s->at);
}

/* From a line for each private cache on. */
static bool next_size(sizes *s)
{
    bool more = next_step_of_both(s);
    while (more && s->at < s->team)
        more = next_step_of_both(s);
    return more;
}

double plussi_find_c_share(const plussi_mrc *shared, const plussi_mrc *own, uint32_t team)
{
    for (sizes s = {shared, own, team, 0, 0, 0, 0}; next_size(&s);)
        if (count_misses(shared, s.at) <= 0.9 * count_misses(own, s.own_at))
            return s.at;
    return 0;
}

double plussi_mean_cycles(const plussi_mrc *mrc, double lines, double hit, double memory)
{
    return hit + memory * plussi_mrc_at(mrc, lines);
}

double plussi_find_c_cost(const plussi_mrc *shared, const plussi_mrc *own, uint32_t team,
                          const plussi_latencies *l)
{
    for (sizes s = {shared, own, team, 0, 0, 0, 0}; next_size(&s);)
        if (plussi_mean_cycles(shared, s.at, l->shared, l->memory) <
            plussi_mean_cycles(own, s.own_at, l->own, l->memory))
            return s.at;
    return 0;
}

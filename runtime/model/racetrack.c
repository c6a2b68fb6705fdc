/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/racetrack.h"

#include <math.h>

#include "model/bins.h"

/* A bin whose tail has less mass vanishes in a sum of doubles that is 1. */
#define NEGLIGIBLE 0x1p-60

/* (1 - x)^n */
static double survival_probability(double x, double n)
{
    return exp(n * log1p(-x));
}

/* Mean of a variable with survival (1 - z)^n on [0, 1], given that it is below u:
 * (1 - (1-u)^n (1 + n u)) / ((n+1) (1 - (1-u)^n)). */
static double mean_below(double u, double n)
{
    if (u >= 1)
        return 1 / (n + 1);
    if (n * u < 1e-5) /* the numerator cancels; the density is flat there */
        return u / 2;
    return -expm1(n * log1p(-u) + log1p(n * u)) / ((n + 1) * -expm1(n * log1p(-u)));
}

/* The bins in ascending order. Key k represents lengths in [k-1, k). */
static pluss_status fill_bins(uint64_t interval, double n, unsigned bits, plussi_histo *out)
{
    double R = (double)interval, tail = 1;
    pluss_status status = PLUSS_OK;
    for (uint64_t first = 1, last; status == PLUSS_OK && tail > NEGLIGIBLE; first = last + 1) {
        uint64_t start;
        plussi_bin_range(first, bits, &start, &last);
        if (last > interval)
            last = interval;
        double a = (double)(first - 1), u = (double)(last - first + 1) / (R - a);
        double rest = last == interval ? 0 : survival_probability((double)last / R, n);
        double weight = last == interval ? tail : tail * -expm1(n * log1p(-u));
        double mean = a + (R - a) * mean_below(fmin(u, 1), n) + 0.5;
        uint64_t key = mean >= (double)last ? last : (uint64_t)(mean + 0.5);
        status = plussi_histo_add(out, key < first ? first : key, weight);
        tail = rest;
        if (last == interval)
            break;
    }
    return status;
}

pluss_status plussi_racetrack_split(uint64_t interval, uint32_t runners, unsigned bits,
                                    plussi_histo *out)
{
    if (interval == 0 || runners == 0 || bits < 1 || bits > 20)
        return PLUSS_EINVAL;
    plussi_histo raw, made;
    plussi_histo_init(&raw, &out->mem);
    plussi_histo_init(&made, &out->mem);
    pluss_status status = runners == 1 ? plussi_histo_add(&raw, interval, 1)
                                       : fill_bins(interval, runners - 1.0, bits, &raw);
    if (status == PLUSS_OK)
        status = plussi_histo_merge(&made, &raw, 1 / plussi_histo_total(&raw));
    plussi_histo_free(&raw);
    if (status != PLUSS_OK) {
        plussi_histo_free(&made);
        return status;
    }
    plussi_histo_free(out);
    *out = made;
    return PLUSS_OK;
}

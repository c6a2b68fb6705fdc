/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/uniformity.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fft_complex.h>
#include <math.h>
#include <string.h>

/* A sum of correlations goes on until this many times its value (Sokal's window). */
static const double window = 5;

static uint32_t bin_of(double place, uint32_t bins)
{
    double b = floor(place * bins);
    return b < 0 ? 0 : b >= bins ? bins - 1 : (uint32_t)b;
}

static size_t power_of_two(size_t least)
{
    size_t n = 1;
    while (n < least)
        n *= 2;
    return n;
}

/* together[k] += sum over t of the cosine between samples t and t + k of the series, at mode m:
 * the bins' numbers times 2 pi m / bins as angles. z: room for 2 power_of_two(2 n). */
static void add_products(const plussi_gap_series *s, uint32_t bins, uint32_t m, double *z,
                         double *together)
{
    size_t room = power_of_two(2 * s->n);
    memset(z, 0, 2 * room * sizeof *z);
    for (size_t t = 0; t < s->n; t++) {
        uint64_t turn = (uint64_t)bin_of(s->place[t], bins) * m % bins;
        double angle = 2 * M_PI * (double)turn / bins;
        z[2 * t] = cos(angle);
        z[2 * t + 1] = sin(angle);
    }
    gsl_fft_complex_radix2_forward(z, 1, room);
    for (size_t i = 0; i < room; i++) {
        z[2 * i] = z[2 * i] * z[2 * i] + z[2 * i + 1] * z[2 * i + 1];
        z[2 * i + 1] = 0;
    }
    gsl_fft_complex_radix2_inverse(z, 1, room);
    for (size_t k = 0; k < s->n; k++)
        together[k] += z[2 * k];
}

/* How many times as much as for independent samples a mode's sum varies. */
static double inflation(const double *together, size_t longest, double samples)
{
    double sum = 1;
    for (size_t k = 1; k < longest && (double)k <= window * fmax(sum, 1); k++)
        sum += 2 * together[k] / samples;
    return fmax(sum, 1);
}

/* The statistic is a sum of squares of normal variables with these variances, one for each mode's
 * sine and cosine; as a multiple of a chi-square variable with the same mean and variance. */
static void correct(const double *together, size_t longest, uint32_t bins, plussi_uniformity *e)
{
    double n = (double)e->samples, sum = 0, squares = 0;
    for (uint32_t m = 1; m <= bins / 2; m++) {
        const double *mode = together + (m - 1) * longest;
        double l = inflation(mode, longest, n), times = 2 * m == bins ? 1 : 2;
        if (m == 1)
            e->correlation = l;
        sum += times * l;
        squares += times * l * l;
    }
    e->effective = n * (bins - 1) / sum;
    e->p_corrected = gsl_cdf_chisq_Q(e->chi2 * sum / squares, sum * sum / squares);
}

pluss_status plussi_test_uniformity(plussi_ctx *ctx, const plussi_gap_series *series,
                                    size_t n_series, uint32_t bins, uint64_t *count,
                                    plussi_uniformity *out)
{
    plussi_uniformity e = {0};
    size_t longest = 0;
    double steps = 0;
    if (bins < 2 || bins > PLUSSI_UNIFORMITY_BINS)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%u bins: there are 2 to %d", bins,
                           PLUSSI_UNIFORMITY_BINS);
    for (size_t i = 0; i < n_series; i++) {
        e.samples += series[i].n;
        steps += series[i].n ? (double)(series[i].n - 1) : 0;
        longest = series[i].n > longest ? series[i].n : longest;
    }
    if (e.samples == 0)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "there are no samples to test");
    double *z = plussi_alloc(&ctx->mem, 2 * power_of_two(2 * longest), sizeof *z);
    double *together = plussi_calloc(&ctx->mem, longest * (bins / 2), sizeof *together);
    if (!z || !together) {
        plussi_free(&ctx->mem, z);
        plussi_free(&ctx->mem, together);
        return PLUSS_ENOMEM;
    }
    memset(count, 0, bins * sizeof *count);
    for (size_t i = 0; i < n_series; i++) {
        for (size_t t = 0; t < series[i].n; t++)
            count[bin_of(series[i].place[t], bins)]++;
        for (uint32_t m = 1; m <= bins / 2 && series[i].n; m++)
            add_products(&series[i], bins, m, z, together + (m - 1) * longest);
    }
    double expected = (double)e.samples / bins;
    for (uint32_t b = 0; b < bins; b++)
        e.chi2 += ((double)count[b] - expected) * ((double)count[b] - expected) / expected;
    e.p = gsl_cdf_chisq_Q(e.chi2, bins - 1);
    e.lag1 = steps > 0 && longest > 1 ? together[1] / steps : 0;
    correct(together, longest, bins, &e);
    plussi_free(&ctx->mem, z);
    plussi_free(&ctx->mem, together);
    *out = e;
    return PLUSS_OK;
}

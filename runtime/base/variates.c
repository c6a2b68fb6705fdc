/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/variates.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>

/* Uniform in (0, 1): its logarithm exists. */
static double open_unit(plussi_rng *rng)
{
    return ((double)(plussi_rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

double plussi_draw_normal(plussi_rng *rng)
{
    for (;;) {
        double u = open_unit(rng), v = 1.7156 * (open_unit(rng) - 0.5);
        double x = u - 0.449871, y = fabs(v) + 0.386595;
        double q = x * x + y * (0.19600 * y - 0.25472 * x);
        if (q < 0.27597)
            return v / u;
        if (q <= 0.27846 && v * v <= -4 * u * u * log(u))
            return v / u;
    }
}

double plussi_draw_exponential(plussi_rng *rng)
{
    return -log(open_unit(rng));
}

/* x: the normal variate tried first. */
static double gamma_from_normal(plussi_rng *rng, double shape, double x)
{
    double d = shape - 1.0 / 3, c = 1 / (3 * sqrt(d));
    for (;; x = plussi_draw_normal(rng)) {
        double t = 1 + c * x;
        if (t <= 0)
            continue;
        double v = t * t * t, u = open_unit(rng), x2 = x * x;
        if (u < 1 - 0.0331 * x2 * x2 || log(u) < 0.5 * x2 + d * (1 - v + log(v)))
            return d * v;
    }
}

double plussi_draw_gamma(plussi_rng *rng, double shape)
{
    return shape == 1 ? plussi_draw_exponential(rng)
                      : gamma_from_normal(rng, shape, plussi_draw_normal(rng));
}

double plussi_gamma_from(plussi_rng *rng, double shape, double first)
{
    return shape == 1 ? -log1p(-first)
                      : gamma_from_normal(rng, shape, gsl_cdf_ugaussian_Pinv(first));
}

double plussi_draw_beta(plussi_rng *rng, double a, double b)
{
    double x = plussi_draw_gamma(rng, a), y = plussi_draw_gamma(rng, b);
    return x / (x + y);
}

/* log k!: a table, then Stirling's series; the next term is below 1e-16 k. */
static double log_factorial(double k)
{
    static const double small[] = {0,
                                   0,
                                   0.69314718055994531,
                                   1.79175946922805500,
                                   3.17805383034794562,
                                   4.78749174278204599,
                                   6.57925121201010100,
                                   8.52516136106541430,
                                   10.60460290274525023,
                                   12.80182748008146961};
    if (k < 10)
        return small[(int)k];
    double r = 1 / (k + 1), r2 = r * r; /* of gamma(k + 1) */
    return (k + 0.5) * log(k + 1) - (k + 1) + 0.91893853320467274 +
           r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 / 1680)));
}

void plussi_poisson_set(plussi_poisson *law, double mean)
{
    law->mean = mean;
    if (!(mean > 0))
        return;
    if (mean < PLUSSI_POISSON_INVERTED) {
        law->of.table.term = law->of.table.sum[0] = exp(-mean);
        law->of.table.n = 1;
        return;
    }
    const double b = 0.931 + 2.53 * sqrt(mean);
    law->of.envelope.b = b;
    law->of.envelope.a = -0.059 + 0.02483 * b;
    law->of.envelope.vr = 0.9277 - 3.6224 / (b - 2);
    law->of.envelope.log_mean = 0;
}

/* The least k with u < P(at most k). */
static uint64_t invert_poisson(plussi_poisson *law, double u)
{
    double *sum = law->of.table.sum;
    uint32_t k = 0;
    while (u >= sum[k] && k < PLUSSI_POISSON_MOST) {
        if (++k < law->of.table.n)
            continue;
        law->of.table.term *= law->mean / (double)k;
        sum[k] = sum[k - 1] + law->of.table.term;
        law->of.table.n = k + 1;
    }
    return k;
}

/* Whether v is below the density where the envelope's squeeze does not tell. */
static bool accept_poisson(plussi_poisson *law, double us, double v, double k)
{
    const double a = law->of.envelope.a, b = law->of.envelope.b;
    if (law->of.envelope.log_mean == 0) {
        law->of.envelope.log_mean = log(law->mean);
        law->of.envelope.alpha = 1.1239 + 1.1328 / (b - 3.4);
    }
    return log(v * law->of.envelope.alpha / (a / (us * us) + b)) <=
           k * law->of.envelope.log_mean - law->mean - log_factorial(k);
}

uint64_t plussi_poisson_draw_from(plussi_poisson *law, plussi_rng *rng, double first)
{
    const double mean = law->mean;
    if (!(mean > 0))
        return 0;
    if (mean < PLUSSI_POISSON_INVERTED)
        return invert_poisson(law, first);
    const double a = law->of.envelope.a, b = law->of.envelope.b;
    for (;; first = plussi_rng_unit(rng)) {
        double u = first - 0.5, v = open_unit(rng), us = 0.5 - fabs(u);
        if (us <= 0)
            continue;
        double k = floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= law->of.envelope.vr)
            return (uint64_t)k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (accept_poisson(law, us, v, k))
            return (uint64_t)k;
    }
}

uint64_t plussi_poisson_draw(plussi_poisson *law, plussi_rng *rng)
{
    return law->mean > 0 ? plussi_poisson_draw_from(law, rng, plussi_rng_unit(rng)) : 0;
}

uint64_t plussi_draw_poisson(plussi_rng *rng, double mean)
{
    plussi_poisson law;
    plussi_poisson_set(&law, mean);
    return plussi_poisson_draw(&law, rng);
}

/* p <= 1/2 */
static uint64_t binomial_lower(plussi_rng *rng, uint64_t n, double p)
{
    double q = 1 - p, np = (double)n * p;
    if (np < 10) {
        double term = exp((double)n * log1p(-p)), u = plussi_rng_unit(rng), sum = term;
        uint64_t k = 0;
        while (u >= sum && k < n && k < 200) {
            term *= (double)(n - k) / (double)(k + 1) * (p / q);
            sum += term;
            k++;
        }
        return k;
    }
    double spq = sqrt(np * q), b = 1.15 + 2.53 * spq, a = -0.0873 + 0.0248 * b + 0.01 * p;
    double c = np + 0.5, vr = 0.92 - 4.2 / b;
    for (;;) {
        double u = plussi_rng_unit(rng) - 0.5, v = open_unit(rng), us = 0.5 - fabs(u);
        if (us <= 0)
            continue;
        double k = floor((2 * a / us + b) * u + c);
        if (k < 0 || k > (double)n)
            continue;
        if (us >= 0.07 && v <= vr)
            return (uint64_t)k;
        double alpha = (2.83 + 5.1 / b) * spq, m = floor(((double)n + 1) * p);
        double h = log_factorial(m) + log_factorial((double)n - m);
        if (log(v * alpha / (a / (us * us) + b)) <=
            h - log_factorial(k) - log_factorial((double)n - k) + (k - m) * log(p / q))
            return (uint64_t)k;
    }
}

uint64_t plussi_draw_binomial(plussi_rng *rng, uint64_t n, double p)
{
    if (n == 0 || !(p > 0))
        return 0;
    if (p >= 1)
        return n;
    return p <= 0.5 ? binomial_lower(rng, n, p) : n - binomial_lower(rng, n, 1 - p);
}

/* One by one: the chance that the next is marked changes as they are taken. */
static uint64_t take_each(plussi_rng *rng, uint64_t total, uint64_t marked, uint64_t taken)
{
    uint64_t hits = 0;
    for (uint64_t i = 0; i < taken; i++)
        hits += plussi_rng_below(rng, total - i) < marked - hits;
    return hits;
}

uint64_t plussi_draw_marked(plussi_rng *rng, uint64_t total, uint64_t marked, uint64_t taken)
{
    enum { FEW = 64 };
    if (taken <= FEW)
        return take_each(rng, total, marked, taken);
    if (total - taken <= FEW)
        return marked - take_each(rng, total, marked, total - taken);
    if (marked <= FEW) /* taken and marked change places */
        return take_each(rng, total, taken, marked);
    if (total - marked <= FEW)
        return taken - take_each(rng, total, taken, total - marked);
    double n = (double)total, p = (double)marked / n, k = (double)taken;
    double variance = k * p * (1 - p) * ((n - k) / (n - 1));
    double x = floor(k * p + sqrt(variance) * plussi_draw_normal(rng) + 0.5);
    uint64_t least = marked + taken > total ? marked + taken - total : 0;
    uint64_t most = marked < taken ? marked : taken;
    return x < (double)least ? least : x > (double)most ? most : (uint64_t)x;
}

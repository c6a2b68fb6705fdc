/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random variates for models that draw many: rejection from simple envelopes, a few tens of
 * nanoseconds each whatever the parameters, the same numbers on every machine with IEEE doubles and
 * the same mathematical library.
 */
#ifndef PLUSSI_BASE_VARIATES_H
#define PLUSSI_BASE_VARIATES_H

#include "base/rng.h"

/* Standard normal: ratio of uniforms with quadratic bounds (Leva 1992). */
double plussi_draw_normal(plussi_rng *rng);
/* Exponential of unit rate. */
double plussi_draw_exponential(plussi_rng *rng);
/* Gamma of unit rate, shape >= 1 (Marsaglia and Tsang 2000). */
double plussi_draw_gamma(plussi_rng *rng, double shape);
/* Beta, both shapes >= 1: two gammas. */
double plussi_draw_beta(plussi_rng *rng, double a, double b);
/* Poisson, 0 <= mean <= 1e15: inversion below 10, else transformed rejection (Hoermann 1993). */
uint64_t plussi_draw_poisson(plussi_rng *rng, double mean);
/* The same for many draws of one mean: what they have in common is computed once. All zero: mean 0.
 */
enum { PLUSSI_POISSON_INVERTED = 10 /* means below are inverted */, PLUSSI_POISSON_MOST = 100 };
typedef struct plussi_poisson {
    double mean;
    union {
        struct { /* below PLUSSI_POISSON_INVERTED: P(at most k) for k < n, and P(n - 1) */
            double term, sum[PLUSSI_POISSON_MOST + 1];
            uint32_t n;
        } table;
        struct { /* Hoermann's constants; log_mean 0: it and alpha are not known yet */
            double a, b, vr, alpha, log_mean;
        } envelope;
    } of;
} plussi_poisson;
void plussi_poisson_set(plussi_poisson *law, double mean);
/* What plussi_draw_poisson would draw. */
uint64_t plussi_poisson_draw(plussi_poisson *law, plussi_rng *rng);

/* The same distributions from a uniform variate in (0, 1), with which they grow: it decides below a
 * mean of 10 and at shape 1, and else is what rejection tries first, which it accepts more often
 * than four times in five. So variates that are spread evenly give such ones. */
double plussi_gamma_from(plussi_rng *rng, double shape, double first);
uint64_t plussi_poisson_draw_from(plussi_poisson *law, plussi_rng *rng, double first);
/* Binomial, p in [0, 1], n <= 1e15: inversion where n min(p, 1 - p) < 10, else transformed
 * rejection (Hoermann 1993). */
uint64_t plussi_draw_binomial(plussi_rng *rng, uint64_t n, double p);

/* How many of `marked` among `total` fall into `taken` of them: hypergeometric. Up to 64 taken,
 * left, marked or not marked one by one, beyond from a normal distribution of the same mean and
 * variance.
 */
uint64_t plussi_draw_marked(plussi_rng *rng, uint64_t total, uint64_t marked, uint64_t taken);

#endif

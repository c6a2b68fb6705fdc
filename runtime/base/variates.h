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
/* Binomial, p in [0, 1], n <= 1e15: inversion where n min(p, 1 - p) < 10, else transformed
 * rejection (Hoermann 1993). */
uint64_t plussi_draw_binomial(plussi_rng *rng, uint64_t n, double p);

/* How many of `marked` among `total` fall into `taken` of them: hypergeometric. Up to 64 taken,
 * left, marked or not marked one by one, beyond from a normal distribution of the same mean and
 * variance.
 */
uint64_t plussi_draw_marked(plussi_rng *rng, uint64_t total, uint64_t marked, uint64_t taken);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GSL's distributions on base/rng.h: no allocation, no environment, no global state, and the same
 * numbers on every machine.
 */
#ifndef PLUSSI_TEAM_GSLRNG_H
#define PLUSSI_TEAM_GSLRNG_H

#include <gsl/gsl_rng.h>

#include "base/rng.h"

/* A view of rng, valid as long as rng is: gsl_rng g = plussi_gsl_rng(&rng);
 * x = gsl_ran_poisson(&g, mu). */
gsl_rng plussi_gsl_rng(plussi_rng *rng);

/* Gamma variate of unit rate; shape >= 0 (0: 0). */
double plussi_gamma(plussi_rng *rng, double shape);

#endif

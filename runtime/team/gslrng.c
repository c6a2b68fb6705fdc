/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/gslrng.h"

#include <gsl/gsl_randist.h>

static void set_state(void *state, unsigned long seed)
{
    plussi_rng_seed(state, seed, 0);
}
static unsigned long next_number(void *state)
{
    return plussi_rng_next(state);
}
static double next_unit(void *state)
{
    return plussi_rng_unit(state);
}

static const gsl_rng_type xoshiro = {"xoshiro256**", UINT64_MAX,  0,        sizeof(plussi_rng),
                                     set_state,      next_number, next_unit};

gsl_rng plussi_gsl_rng(plussi_rng *rng)
{
    return (gsl_rng){&xoshiro, rng};
}

double plussi_gamma(plussi_rng *rng, double shape)
{
    gsl_rng g = plussi_gsl_rng(rng);
    return shape > 0 ? gsl_ran_gamma(&g, shape, 1) : 0;
}

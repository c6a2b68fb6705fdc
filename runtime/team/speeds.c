/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/speeds.h"

#include <math.h>

pluss_status plussi_speeds_check(plussi_ctx *ctx, const plussi_speeds *s)
{
    const char *what = NULL;
    if (!(s->sigma >= 0 && s->sigma <= 10))
        what = "sigma must be within 0 and 10";
    else if (!(s->skew >= 0 && s->skew <= 1e15))
        what = "skew must be within 0 and 1e15 accesses";
    else if (!(s->skew_spread >= 0 && s->skew_spread <= 10))
        what = "skew must spread within 0 and 10";
    else if (!(s->stall_rate >= 0 && s->stall_rate <= 1 && s->stall >= 0 && s->stall <= 1e15))
        what = "stalls must begin within 0 and 1 in an access, and last within 0 and 1e15";
    else if (s->n_rates && !s->rate)
        what = "rates are missing";
    for (size_t k = 0; k < s->n_rates && !what; k++)
        if (!(s->rate[k] >= 1e-6 && s->rate[k] <= 1e6))
            what = "rates must be within 1e-6 and 1e6";
    return what ? plussi_fail(ctx, PLUSS_EINVAL, NULL, "the speeds' %s", what) : PLUSS_OK;
}

bool plussi_speeds_steady(const plussi_speeds *s)
{
    return s->skew <= 0 && (s->stall_rate <= 0 || s->stall <= 0);
}

/* Box and Muller. */
static double draw_normal(plussi_rng *rng)
{
    double u = 1 - plussi_rng_unit(rng), v = plussi_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

/* Speeds, starts and stalls are draws of their own. */
enum { SPEED = 1, START, STALL };

static void begin(plussi_rng *rng, uint64_t seed, uint64_t what, uint64_t number)
{
    uint64_t state = seed ^ what << 56;
    plussi_rng_seed(rng, plussi_splitmix64(&state), number);
}

void plussi_speeds_draw(const plussi_speeds *speeds, uint64_t seed, uint64_t instance,
                        uint32_t team, double *speed)
{
    plussi_rng rng;
    begin(&rng, seed, SPEED, instance);
    for (uint32_t k = 0; k < team; k++) {
        double own = k < speeds->n_rates ? speeds->rate[k] : 1;
        speed[k] = speeds->sigma > 0 ? own * exp(speeds->sigma * draw_normal(&rng)) : own;
    }
}

void plussi_speeds_start(const plussi_speeds *speeds, uint64_t seed, uint64_t phase, uint32_t team,
                         double *start)
{
    plussi_rng rng;
    for (uint32_t k = 0; k < team; k++)
        start[k] = 0;
    if (speeds->skew <= 0 || team < 2)
        return;
    begin(&rng, seed, START, phase);
    uint32_t first = (uint32_t)plussi_rng_below(&rng, team);
    for (uint32_t k = 0; k < team; k++)
        if (k != first)
            start[k] = speeds->skew * exp(speeds->skew_spread * draw_normal(&rng));
}

void plussi_stalls_begin(plussi_stalls *stalls, const plussi_speeds *speeds, uint64_t seed,
                         uint64_t phase, uint32_t k)
{
    uint64_t state = phase;
    stalls->speeds = speeds;
    begin(&stalls->rng, seed, STALL, plussi_splitmix64(&state) ^ k);
}

void plussi_stalls_next(plussi_stalls *stalls, double *run, double *stall)
{
    const plussi_speeds *s = stalls->speeds;
    *run = INFINITY;
    *stall = 0;
    if (s->stall_rate <= 0 || s->stall <= 0)
        return;
    *run = -log1p(-plussi_rng_unit(&stalls->rng)) / s->stall_rate;
    *stall = -log1p(-plussi_rng_unit(&stalls->rng)) * s->stall;
}

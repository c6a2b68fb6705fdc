/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each next access is by a thread drawn uniformly from those that have accesses left (PACT'24,
 * assumption 1): a Poisson process of unit rate a thread, so that times are gamma and counts
 * Poisson distributed, and between two known moments uniform: beta and binomial.
 */
#include "base/variates.h"
#include "team/law.h"

double plussi_poisson_time(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    (void)which, (void)phase, (void)k;
    return plussi_draw_gamma(c->rng, (double)pos + 1);
}

uint64_t plussi_poisson_count(plussi_clocks *c, uint64_t phase, uint32_t k, double now)
{
    (void)phase, (void)k;
    return plussi_draw_poisson(c->rng, now);
}

double plussi_poisson_time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y,
                                  uint64_t n, double now)
{
    (void)phase, (void)k;
    return now * plussi_draw_beta(c->rng, (double)y + 1, (double)(n - y));
}

uint64_t plussi_poisson_between(plussi_clocks *c, int which, uint32_t k, uint64_t from,
                                double since, uint64_t n, double now, double time)
{
    (void)which, (void)k;
    if (n == UINT64_MAX)
        return from + plussi_draw_poisson(c->rng, time - since);
    double span = now - since; /* 0: simultaneous accesses */
    return span > 0 ? from + plussi_draw_binomial(c->rng, n - from, (time - since) / span) : n;
}

static uint32_t choose_thread(plussi_clocks *c, uint64_t *run)
{
    *run = 1;
    c->at = (uint32_t)plussi_rng_below(c->rng, c->n_running);
    return c->running[c->at];
}

const plussi_law plussi_law_uniform = {
    .name = "uniform",
    .syntax = "uniform",
    .summary = "each next access by any thread that still has some",
    .poisson = true,
    .time = plussi_poisson_time,
    .count = plussi_poisson_count,
    .time_before = plussi_poisson_time_before,
    .count_between = plussi_poisson_between,
    .next = choose_thread,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each thread anywhere in its phase, at the common rate: the opposite bound of round robin. No
 * order of the accesses looks like that from each of them, so there is no merge.
 */
#include "base/variates.h"
#include "team/law.h"

static uint64_t count_made(plussi_clocks *c, uint64_t phase, uint32_t k, double now)
{
    (void)now;
    return plussi_rng_below(c->rng, c->phases.length(c->phases.user, phase, k) + 1);
}

static double time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y, uint64_t n,
                          double now)
{
    (void)phase, (void)k;
    return now - plussi_draw_gamma(c->rng, (double)(n - y));
}

static uint64_t count_made_between(plussi_clocks *c, int which, uint32_t k, uint64_t from,
                                   double since, uint64_t n, double now, double time)
{
    if (n == UINT64_MAX || from > 0)
        return plussi_poisson_between(c, which, k, from, since, n, now, time);
    uint64_t back = plussi_draw_poisson(c->rng, now - time); /* its start is unknown */
    return back < n ? n - back : 0;
}

const plussi_law plussi_law_mixed = {
    .name = "mixed",
    .syntax = "mixed",
    .summary = "anywhere in the phase: opposite to round robin",
    .time = plussi_poisson_time,
    .count = count_made,
    .time_before = time_before,
    .count_between = count_made_between,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What RATES draws for a run of a region, for a phase, and as a thread goes along. One draw: the
 * same seed and number always give the same.
 */
#ifndef PLUSSI_TEAM_RATES_H
#define PLUSSI_TEAM_RATES_H

#include "base/rng.h"
#include "team/progress.h"

/* rate, skew: team of them; skew: when each thread starts after a barrier. */
void plussi_draw_rates(const plussi_progress *progress, uint64_t seed, uint64_t instance,
                       uint32_t team, double *rate);
void plussi_draw_skew(const plussi_progress *progress, uint64_t seed, uint64_t phase, uint32_t team,
                      double *skew);
/* Stalls of thread k, one after another: *run the time that it runs before the next one begins
 * (infinite: never), *stall the time that this takes. */
typedef struct plussi_stalls {
    const plussi_progress *progress;
    plussi_rng rng;
} plussi_stalls;
void plussi_stalls_begin(plussi_stalls *stalls, const plussi_progress *progress, uint64_t seed,
                         uint64_t phase, uint32_t k);
void plussi_stalls_next(plussi_stalls *stalls, double *run, double *stall);

#endif

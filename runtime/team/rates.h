/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The draws of RATES: for a run of a region, for a phase, and one by one for a thread. The same
 * seed and number always give the same draw.
 */
#ifndef PLUSSI_TEAM_RATES_H
#define PLUSSI_TEAM_RATES_H

#include "base/rng.h"
#include "team/progress.h"

/* rate, skew: of the team; skew: start of each thread after a barrier. */
void plussi_draw_rates(const plussi_progress *progress, uint64_t seed, uint64_t instance,
                       uint32_t team, double *rate);
void plussi_draw_skew(const plussi_progress *progress, uint64_t seed, uint64_t phase, uint32_t team,
                      double *skew);
/* Stalls of thread k, one after another: *run is the time until the next one begins (infinite:
 * never), *stall its length. */
typedef struct plussi_stalls {
    const plussi_progress *progress;
    plussi_rng rng;
} plussi_stalls;
void plussi_stalls_begin(plussi_stalls *stalls, const plussi_progress *progress, uint64_t seed,
                         uint64_t phase, uint32_t k);
void plussi_stalls_next(plussi_stalls *stalls, double *run, double *stall);

#endif

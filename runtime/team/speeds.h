/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that keep a speed of their own: the law behind `speeds`, which the exact merge
 * (walk/merge.h) and the model clock both draw from. Time is counted in accesses of a thread of
 * speed 1. docs/models.md, "What real threads do", says where it comes from.
 */
#ifndef PLUSSI_TEAM_SPEEDS_H
#define PLUSSI_TEAM_SPEEDS_H

#include "base/rng.h"
#include "team/timeline.h"

/* Thread k's speed is rate[k] exp(sigma z), z normal, drawn for each instance of a parallel region.
 * From every barrier one thread, any, starts at once and each of the others later by a time of its
 * own, log-normal. Stalls begin while a thread runs, as a Poisson process; it then makes no access
 * for an exponential time. */
typedef struct plussi_speeds {
    double sigma;       /* in [0, 10] */
    double skew;        /* median of the late starts, >= 0 */
    double skew_spread; /* standard deviation of their logarithm, in [0, 10] */
    const double *rate; /* > 0; borrowed */
    size_t n_rates;     /* of threads from here on: 1 */
    double stall_rate;  /* stalls that begin in a time of 1, in [0, 1] */
    double stall;       /* their mean length, >= 0 */
} plussi_speeds;

/* PLUSS_EINVAL where a number is out of range. */
PLUSS_NODISCARD pluss_status plussi_speeds_check(plussi_ctx *ctx, const plussi_speeds *speeds);
/* Of nothing but speeds: no moment is different from another. */
bool plussi_speeds_steady(const plussi_speeds *speeds);

/* One draw: the same seed and number always give the same. speed, start: team of them. */
void plussi_speeds_draw(const plussi_speeds *speeds, uint64_t seed, uint64_t instance,
                        uint32_t team, double *speed);
void plussi_speeds_start(const plussi_speeds *speeds, uint64_t seed, uint64_t phase, uint32_t team,
                         double *start);
/* Stalls of thread k, one after another: *run the time that it runs before the next one begins
 * (infinite: never), *stall the time that this takes. */
typedef struct plussi_stalls {
    const plussi_speeds *speeds;
    plussi_rng rng;
} plussi_stalls;
void plussi_stalls_begin(plussi_stalls *stalls, const plussi_speeds *speeds, uint64_t seed,
                         uint64_t phase, uint32_t k);
void plussi_stalls_next(plussi_stalls *stalls, double *run, double *stall);

#endif

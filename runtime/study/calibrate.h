/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What runs of a region have in common, and by how much they differ: the timelines of several runs
 * in, the numbers out that such timelines can be drawn from. docs/models.md, "Real threads", has
 * the rules.
 */
#ifndef PLUSSI_STUDY_CALIBRATE_H
#define PLUSSI_STUDY_CALIBRATE_H

#include "team/progress.h"

/* Above this part of a region's time that a thread did not run, the run tells more about what else
 * ran on the machine. */
#define PLUSSI_CALIBRATE_MOST_STALLED .5

/* One run. */
typedef struct plussi_calibrate_run {
    const plussi_timeline *timeline; /* borrowed */
    uint32_t process;                /* runs of one process have the same memory, and start warm */
} plussi_calibrate_run;

/* Nanoseconds of a run: the region's phases, and what the thread that was kept from running the
 * most lost of them: starts after the team's first thread, and what intervals between points took
 * longer than they should have. */
typedef struct plussi_stalled {
    double whole, lost;
    bool discarded; /* lost > MOST_STALLED whole */
} plussi_stalled;

typedef struct plussi_calibration {
    plussi_arena arena;
    uint32_t team;
    plussi_progress progress; /* RATES, of team of them: the loops' mean, by accesses */
    double access;            /* ns that a thread takes for one, stalls aside; > 0 */
    double access_error;      /* standard errors: of ln(access) (INFINITY: of one run), */
    double sigma_error;       /* of sigma, */
    double skew_error;        /* of ln(skew), */
    double stall_error;       /* of stall_rate, */
    double *rate_error;       /* of each loop's ln(rates) before they were judged, loop after loop;
                                 INFINITY: of one run */
    double *weight;           /* of each loop: its part of the accesses, in [0, 1] */
    plussi_stalled *stalled;  /* of each run */
    size_t n_runs, n_used;    /* given; not discarded */
    uint64_t n_stalls;
    double accesses; /* in which the stalls were found */
} plussi_calibration;

/* Fits runs of one team. Phases in which fewer than two threads make accesses, or in which no time
 * passes, tell nothing. PLUSS_EINVAL: no runs, or a phase with more threads than the team;
 * PLUSS_ENOTFOUND: no run is left, or nothing in them tells. O(points log points). *out is the
 * caller's (plussi_calibration_free). */
PLUSS_NODISCARD pluss_status plussi_calibrate(plussi_ctx *ctx, const plussi_calibrate_run *run,
                                              size_t n, uint32_t team, plussi_calibration *out);
void plussi_calibration_free(plussi_calibration *calibration);

/* As many runs as asked for, drawn from the numbers, of a program whose phases have the accesses
 * and loops of `like`, whose points but the last of each thread are not looked at. Of each number
 * that is drawn the runs have quantiles of their own (Latin hypercube). Loops that the progress
 * does not have have no rates of their own. The same seed always gives the same. PLUSS_EINVAL: like
 * has more threads than the team. The caller frees (plussi_timelines_free). O(runs * phases * team
 * * (pieces
 * + stalls)). */
PLUSS_NODISCARD pluss_status plussi_draw_timelines(plussi_ctx *ctx, const plussi_progress *progress,
                                                   const plussi_timeline *like, size_t runs,
                                                   uint64_t seed, plussi_timelines **out);

#endif

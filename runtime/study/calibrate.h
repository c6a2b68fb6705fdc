/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What runs of a region have in common, and by how much they differ: the timelines of several runs
 * in, the numbers out that such timelines can be drawn from. docs/models.md, "Real threads", has
 * the rules.
 */
#ifndef PLUSSI_STUDY_CALIBRATE_H
#define PLUSSI_STUDY_CALIBRATE_H

#include "report/writer.h"
#include "team/speeds.h"
#include "team/timeline.h"

enum {
    PLUSSI_CALIBRATE_PIECES = 8
}; /* equal parts of the accesses that a thread makes in a phase */

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

/* What is alike in all runs of a worksharing loop: the time an access takes, about the mean of the
 * team. As pluss_loop_speeds. */
typedef struct plussi_loop_tempo {
    uint32_t loop;      /* its number in the region */
    const double *rate; /* of each thread: speed */
    const double *cost; /* PIECES of each thread: ln(time an access), about the thread's mean */
} plussi_loop_tempo;

typedef struct plussi_tempo {
    uint32_t team;
    plussi_speeds speeds;          /* rate: the loops' mean, by accesses; of the team */
    const plussi_loop_tempo *loop; /* ascending */
    size_t n_loops;
} plussi_tempo;

typedef struct plussi_calibration {
    plussi_arena arena;
    plussi_tempo tempo;
    double access;           /* ns that a thread takes for one, stalls aside; > 0 */
    double access_error;     /* standard errors: of ln(access) (INFINITY: of one run), */
    double sigma_error;      /* of sigma, */
    double skew_error;       /* of ln(skew), */
    double stall_error;      /* of stall_rate, */
    double *rate_error;      /* of each loop's ln(rates) before they were judged, loop after loop;
                                INFINITY: of one run */
    double *weight;          /* of each loop: its part of the accesses, in [0, 1] */
    plussi_stalled *stalled; /* of each run */
    size_t n_runs, n_used;   /* given; not discarded */
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
 * that is drawn the runs have quantiles of their own (Latin hypercube). Loops that the tempo does
 * not have have no rates. The same seed always gives the same. PLUSS_EINVAL: like has more
 * threads than the team. The caller frees (plussi_timelines_free). O(runs * phases * team * (pieces
 * + stalls)). */
PLUSS_NODISCARD pluss_status plussi_tempo_draw(plussi_ctx *ctx, const plussi_tempo *tempo,
                                               const plussi_timeline *like, size_t runs,
                                               uint64_t seed, plussi_timelines **out);

/* calibration_report.c: a section of the list; file may be NULL. */
void plussi_calibration_report(const plussi_calibration *fit, const char *region, const char *file,
                               uint32_t line, plussi_section *regions);

#endif

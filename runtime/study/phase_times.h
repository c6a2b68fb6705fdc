/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the calibration: what a thread did in a phase, and what kept it from running there.
 */
#ifndef PLUSSI_STUDY_PHASE_TIMES_H
#define PLUSSI_STUDY_PHASE_TIMES_H

#include "study/calibrate.h"

/* A thread in a phase of a run. */
typedef struct plussi_thread_time {
    const plussi_timeline_thread *thread;
    double *lost;    /* before each of its points, since its start */
    double accesses; /* 0: it has no part in the phase */
    double busy;     /* from start to end, without what is lost */
    uint64_t stalls;
} plussi_thread_time;

typedef struct plussi_phase_time {
    size_t run, slot; /* slot: of its loop in the list of loops */
    bool tells;       /* two threads or more make accesses, and time passes for all of these */
    double end;       /* of the last thread */
    double mean;      /* time an access takes: geometric mean of the threads */
    double weight;    /* accesses of all */
    plussi_thread_time *thread;
} plussi_phase_time;

typedef struct plussi_phase_times {
    plussi_arena arena;
    uint32_t team;
    size_t n_runs;
    uint32_t *loop; /* ascending */
    size_t n_loops;
    plussi_phase_time *phase; /* run after run */
    size_t n_phases;
} plussi_phase_times;

/* An interval between two points is a stall where it takes longer than
 *     2 e + 10 us,
 * e its accesses at the rate of the thread's other intervals (their median, by accesses) in the
 * same loop and run; all beyond e is lost. What comes in more than half of the executions at the
 * same place, an eighth of the thread's share, in three runs or more, is the loop's nature and no
 * stall. PLUSS_EINVAL: a phase has more threads than the team. O(points log points). */
PLUSS_NODISCARD pluss_status plussi_phase_times_new(plussi_ctx *ctx,
                                                    const plussi_calibrate_run *run, size_t n,
                                                    uint32_t team, plussi_phase_times *out);
void plussi_phase_times_free(plussi_phase_times *times);

/* Time, lost time aside, from the thread's start until it has made x accesses. */
double plussi_time_until(const plussi_thread_time *share, double x);

/* ---- quantile.c -------------------------------------------------------------------------------
 */

typedef struct plussi_weighed {
    double value, weight;
} plussi_weighed;

/* The least value such that at least half of the weight is at or below it; sorts. n >= 1. */
double plussi_weighed_median(plussi_weighed *list, size_t n);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far each thread of a team had come when, phase by phase: of a real run, whose time stamps
 * say so (trace/make_timelines.h), or of one that is made up.
 */
#ifndef PLUSSI_TEAM_TIMELINE_H
#define PLUSSI_TEAM_TIMELINE_H

#include "bound/bound.h"

/* The thread had made `done` accesses of its own in this phase `time` nanoseconds after the phase
 * began for the first of the team. In between both pass evenly. */
typedef struct plussi_timeline_point {
    double time, done;
} plussi_timeline_point;

/* Both ascend (not strictly). The first point has done 0: the thread's start; the last one has all
 * the accesses that it makes in the phase. n is 0 where it makes none. */
typedef struct plussi_timeline_thread {
    size_t n;
    plussi_timeline_point *point;
} plussi_timeline_thread;

typedef struct plussi_timeline_phase {
    uint32_t team;
    plussi_timeline_thread *thread; /* team of them */
    uint32_t loop; /* number in its region of the worksharing loop that the phase is; NO_LOOP: of
                      none, or of several */
} plussi_timeline_phase;
#define PLUSSI_TIMELINE_NO_LOOP UINT32_MAX

/* Phases as trace/walk.h numbers those of the same bound nest: the ones with accesses. */
typedef struct plussi_timeline {
    size_t n_phases;
    plussi_timeline_phase *phase;
    /* Who executed what of the loops that are dispatched, for plussi_bind_options.recorded. */
    plussi_chunk *chunk;
    size_t n_chunks;
} plussi_timeline;

/* Those of several runs of one nest with the same values. All of it lives in the arena. */
typedef struct plussi_timelines {
    plussi_arena arena;
    size_t n;
    plussi_timeline *run;
} plussi_timelines;

void plussi_timelines_free(plussi_timelines *timelines); /* NULL is allowed */

/* When access `done` (from 0) begins: the last moment at which no more than `done` accesses had
 * been made. After the last point the thread goes on at its mean rate (at once, where it has
 * none). O(log n); n > 0. */
double plussi_timeline_time(const plussi_timeline_thread *thread, double done);
/* The last point with no more than `done` accesses; the same, where point i is known to be that. */
size_t plussi_timeline_find(const plussi_timeline_thread *thread, double done);
double plussi_timeline_at(const plussi_timeline_thread *thread, size_t i, double done);
/* How many accesses it had made by then, in [0, all]. O(log n); 0 where n is 0. */
double plussi_timeline_done(const plussi_timeline_thread *thread, double time);

#endif

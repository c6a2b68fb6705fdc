/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timelines: how far each thread of a team had come when, phase by phase, in a real run with time
 * stamps (trace/make_timelines.h) or a simulated one.
 */
#ifndef PLUSSI_TEAM_TIMELINE_H
#define PLUSSI_TEAM_TIMELINE_H

#include "bound/bound.h"

/* The thread had made `done` of its accesses in this phase `time` nanoseconds after the first
 * thread of the team began the phase. Linear in between. */
typedef struct plussi_timeline_point {
    double time, done;
} plussi_timeline_point;

/* Both ascend (not strictly). The first point has done = 0: the thread's start; the last one has
 * all its accesses in the phase. n is 0 if it makes none. */
typedef struct plussi_timeline_thread {
    size_t n;
    plussi_timeline_point *point;
} plussi_timeline_thread;

typedef struct plussi_timeline_phase {
    uint32_t team;
    plussi_timeline_thread *thread; /* team of them */
    uint32_t loop; /* number in its region of the worksharing loop that is the phase; NO_LOOP: none,
                      or several */
} plussi_timeline_phase;
#define PLUSSI_TIMELINE_NO_LOOP UINT32_MAX

/* Phases are numbered as by trace/walk.h for the same bound nest: those with accesses. */
typedef struct plussi_timeline {
    size_t n_phases;
    plussi_timeline_phase *phase;
    /* The recorded chunks of dynamic loops, for plussi_bind_options.recorded. */
    plussi_chunk *chunk;
    size_t n_chunks;
} plussi_timeline;

/* Timelines of several runs of one nest with the same values. The arena owns all of it. */
typedef struct plussi_timelines {
    plussi_arena arena;
    size_t n;
    plussi_timeline *run;
} plussi_timelines;

void plussi_timelines_free(plussi_timelines *timelines); /* NULL is allowed */

/* Time at which access `done` (from 0) begins: the last moment with at most `done` accesses made.
 * After the last point the thread goes on at its mean rate (at once, if it has none). O(log n); n >
 * 0. */
double plussi_timeline_time(const plussi_timeline_thread *thread, double done);
/* The last point with at most `done` accesses; the same if point i is known to be it. */
size_t plussi_timeline_find(const plussi_timeline_thread *thread, double done);
double plussi_timeline_at(const plussi_timeline_thread *thread, size_t i, double done);
/* Accesses made by then, in [0, all]. O(log n); 0 if n is 0. */
double plussi_timeline_done(const plussi_timeline_thread *thread, double time);

#endif

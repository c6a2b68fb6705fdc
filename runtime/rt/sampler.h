/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Samplers: code that the GCC plugin (mode=sample) makes of a region, without its stores and
 * without the loads that no address or bound needs, and that is walked once for each simulated
 * thread before the region itself runs. The emitted code has this form (W: a worker, of which
 * there may be several at a time, each with its own walk):
 *
 *     run = pluss_rt_enter(...);
 *     s = pluss_rt_sample_begin(run, flags);                           NULL: not to be sampled
 *     in pluss_rt_sample_workers(s) threads:
 *         for (w = NULL; (w = pluss_rt_sample_next(s, w)) != NULL;)
 *             the region as simulated thread w sees it
 *     pluss_rt_sample_end(s);
 *
 * In a walk, serial code is walked by all simulated threads and counted for thread 0; of a
 * worksharing loop each gets the chunks that are its own:
 *
 *     if (pluss_rt_walk_parallel(w, num_threads, condition)) {
 *         trips = pluss_rt_walk_trips(w, first, last, step, relation);
 *         pluss_rt_walk_loop(w, trips, schedule, chunk, nowait);
 *         while ((n = pluss_rt_walk_chunk(w, 0, trips)) != 0)
 *             n iterations from number pluss_rt_walk_first(w):
 *                 pluss_rt_walk_access(w, ref, address);
 *         pluss_rt_walk_loop_end(w);
 *     }
 *     pluss_rt_walk_join(w);
 *
 * Chunks of dynamic and guided schedules go to the thread that has executed the fewest accesses
 * since the last barrier, the lowest number where several have. To know that, a planning pass
 * executes all chunks in order and counts their accesses; so the threads' walks need not wait for
 * each other, and the result does not depend on the number of workers.
 *
 * The environment says what is simulated, when PLUSS_RECORD names a file to write:
 *
 *     PLUSS_SAMPLE_TEAMS=1,4        team sizes; default: what the OpenMP runtime would take
 *     PLUSS_SAMPLE_SCHEDULE=static,1   in place of the loops' own schedules (sections apart)
 *     PLUSS_SAMPLE_RATE=0.01        follow this part of the lines alone, 0 < rate <= 1
 *     PLUSS_SAMPLE_WORKERS=2        system threads; default: the processors there are
 *     PLUSS_SAMPLE_LINES=all        of which regions the order of accesses to some lines is kept
 *                                   (rt/sampled_thread.h): all; none; data, the default: those
 * whose addresses, bounds or branches depend on what is in memory
 *
 * With a rate below 1, all addresses are made, but only lines whose number, times the golden ratio,
 * has a fractional part below the rate are followed, and those exactly: neighbouring lines are
 * chosen as evenly as can be. Each reference's counts are then scaled so that they add up to the
 * accesses that it made; a reference none of whose lines is followed has them counted as lost.
 */
#ifndef PLUSSI_RT_SAMPLER_H
#define PLUSSI_RT_SAMPLER_H

#include "rt/rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a region holds: worksharing loops with a dynamic, guided or runtime schedule; sections;
 * addresses, bounds or branches that depend on what is in memory. */
enum { PLUSS_RT_SAMPLE_ON_DEMAND = 1, PLUSS_RT_SAMPLE_SECTIONS = 2, PLUSS_RT_SAMPLE_DATA = 4 };

enum {
    PLUSS_RT_WALK_STATIC, /* chunk < 1: a block a thread */
    PLUSS_RT_WALK_DYNAMIC,
    PLUSS_RT_WALK_GUIDED,
    PLUSS_RT_WALK_RUNTIME, /* dynamic,1 unless the environment has a schedule */
    PLUSS_RT_WALK_SECTIONS,
    PLUSS_RT_WALK_COLLAPSED = 8 /* added: trips is the sum over several loops */
};

/* How a loop goes on: index < last, > last, ...; of unsigned numbers or addresses. */
enum {
    PLUSS_RT_WHILE_LT,
    PLUSS_RT_WHILE_LE,
    PLUSS_RT_WHILE_GT,
    PLUSS_RT_WHILE_GE,
    PLUSS_RT_WHILE_NE,
    PLUSS_RT_WHILE_UNSIGNED = 8
};

typedef struct pluss_rt_sample pluss_rt_sample; /* one run of a region, being sampled */
typedef struct pluss_rt_walk pluss_rt_walk;     /* one simulated thread's way through it */

/* NULL too for a run that is not recorded, and, of a team's common run, for all but thread 0. What
 * is found is recorded when the run ends. */
PLUSS_RT_API pluss_rt_sample *pluss_rt_sample_begin(pluss_rt_run *run, uint32_t flags);
PLUSS_RT_API uint32_t pluss_rt_sample_workers(const pluss_rt_sample *sample);
/* Ends the walk `done` (NULL: none) and gives the next one; NULL: there is none left. */
PLUSS_RT_API pluss_rt_walk *pluss_rt_sample_next(pluss_rt_sample *sample, pluss_rt_walk *done);
PLUSS_RT_API void pluss_rt_sample_end(pluss_rt_sample *sample);

/* threads < 1: no num_threads clause. Nonzero: the simulated thread is in the team. Inside of
 * another parallel region a team is of one. */
PLUSS_RT_API int pluss_rt_walk_parallel(pluss_rt_walk *walk, int64_t threads, int condition);
PLUSS_RT_API void pluss_rt_walk_join(pluss_rt_walk *walk); /* in the team or not */
PLUSS_RT_API void pluss_rt_walk_barrier(pluss_rt_walk *walk);

/* Iterations of a loop. The walk keeps how its range and step relate for the worksharing loop that
 * begins next: chunks of guided loops depend on it (team/dispatch.h). */
PLUSS_RT_API uint64_t pluss_rt_walk_trips(pluss_rt_walk *walk, int64_t first, int64_t last,
                                          int64_t step, uint32_t relation);
PLUSS_RT_API void pluss_rt_walk_loop(pluss_rt_walk *walk, uint64_t trips, uint32_t schedule,
                                     int64_t chunk, int nowait);
/* The next of the thread's own among iterations base ... base + n - 1: how many in a row, 0: no
 * more. Calls within a loop go by ascending base. */
PLUSS_RT_API uint64_t pluss_rt_walk_chunk(pluss_rt_walk *walk, uint64_t base, uint64_t n);
PLUSS_RT_API uint64_t pluss_rt_walk_first(const pluss_rt_walk *walk); /* of what it gave */
PLUSS_RT_API void pluss_rt_walk_loop_end(pluss_rt_walk *walk);

/* As the OpenMP functions of these names. */
PLUSS_RT_API int pluss_rt_walk_thread_num(const pluss_rt_walk *walk);
PLUSS_RT_API int pluss_rt_walk_num_threads(const pluss_rt_walk *walk);
PLUSS_RT_API int pluss_rt_walk_max_threads(const pluss_rt_walk *walk);

PLUSS_RT_API void pluss_rt_walk_access(pluss_rt_walk *walk, uint32_t ref, const void *address);
/* In serial code, `master` and `single`: counted for thread 0 alone. */
PLUSS_RT_API void pluss_rt_walk_access_once(pluss_rt_walk *walk, uint32_t ref, const void *address);

/* Where the simulated thread's own copy of private memory is taken to be: at the same place in a
 * line, apart from all other threads'. */
PLUSS_RT_API const void *pluss_rt_walk_own(const pluss_rt_walk *walk, const void *address);

#ifdef __cplusplus
}
#endif
#endif

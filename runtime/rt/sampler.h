/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Samplers: the GCC plugin (mode=sample) makes one from a region's code, without the stores and
 * without the loads that no address or bound needs. It is walked once for each simulated thread
 * before the region itself runs. The emitted code has this form (W: a worker; several may run at a
 * time, each with its own walk):
 *
 *     run = pluss_rt_enter(...);
 *     s = pluss_rt_sample_begin(run, flags);                           NULL: not to be sampled
 *     in pluss_rt_sample_workers(s) threads:
 *         for (w = NULL; (w = pluss_rt_sample_next(s, w)) != NULL;)
 *             the region as simulated thread w sees it
 *     pluss_rt_sample_end(s);
 *
 * In a walk, all simulated threads walk serial code, which counts for thread 0; of a worksharing
 * loop each gets its own chunks:
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
 * Dynamic and guided chunks are dispatched to the thread with the fewest accesses since the last
 * barrier, the lowest number of several. To know that, a planning pass executes all chunks in order
 * and counts their accesses; so the threads' walks need not wait for each other, and the result
 * does not depend on the number of workers.
 *
 * The environment decides what is simulated, if PLUSS_RECORD names a file:
 *
 *     PLUSS_SAMPLE_TEAMS=1,4        team sizes; default: the OpenMP runtime's
 *     PLUSS_SAMPLE_SCHEDULE=static,1   in place of the loops' own schedules (sections apart)
 *     PLUSS_SAMPLE_RATE=0.01        fraction of the lines that is followed, 0 < rate <= 1
 *     PLUSS_SAMPLE_WORKERS=2        system threads; default: the processors there are
 *     PLUSS_SAMPLE_LINES=all        regions with a sampled trace (rt/sampled_thread.h): all;
 *                                   none; data, the default: those
 *                                   whose addresses, bounds or branches depend on memory
 *
 * With a rate below 1 all addresses are computed, but only the lines whose number times the golden
 * ratio has a fractional part below the rate are followed, and these exactly: neighbouring lines
 * are chosen as evenly as possible. Each reference's counts are then scaled to its number of
 * accesses; if none of its lines is followed, they count as lost.
 */
#ifndef PLUSSI_RT_SAMPLER_H
#define PLUSSI_RT_SAMPLER_H

#include "rt/rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Contents of a region: worksharing loops with a dynamic, guided or runtime schedule; sections;
 * addresses, bounds or branches that depend on memory. */
enum { PLUSS_RT_SAMPLE_ON_DEMAND = 1, PLUSS_RT_SAMPLE_SECTIONS = 2, PLUSS_RT_SAMPLE_DATA = 4 };

enum {
    PLUSS_RT_WALK_STATIC, /* chunk < 1: a block a thread */
    PLUSS_RT_WALK_DYNAMIC,
    PLUSS_RT_WALK_GUIDED,
    PLUSS_RT_WALK_RUNTIME, /* dynamic,1 unless the environment has a schedule */
    PLUSS_RT_WALK_SECTIONS,
    PLUSS_RT_WALK_COLLAPSED = 8 /* added if trips is the sum over several loops */
};

/* Condition of a loop: index < last, > last, ...; for unsigned numbers or addresses. */
enum {
    PLUSS_RT_WHILE_LT,
    PLUSS_RT_WHILE_LE,
    PLUSS_RT_WHILE_GT,
    PLUSS_RT_WHILE_GE,
    PLUSS_RT_WHILE_NE,
    PLUSS_RT_WHILE_UNSIGNED = 8
};

typedef struct pluss_rt_sample pluss_rt_sample; /* one run of a region that is being sampled */
typedef struct pluss_rt_walk pluss_rt_walk;     /* the walk of one simulated thread */

/* NULL also for a run that is not recorded and, in a run shared by a team, for all threads but 0.
 * The results are recorded at the end of the run. */
PLUSS_RT_API pluss_rt_sample *pluss_rt_sample_begin(pluss_rt_run *run, uint32_t flags);
PLUSS_RT_API uint32_t pluss_rt_sample_workers(const pluss_rt_sample *sample);
/* Ends the walk `done` (NULL: none) and returns the next one; NULL: none is left. */
PLUSS_RT_API pluss_rt_walk *pluss_rt_sample_next(pluss_rt_sample *sample, pluss_rt_walk *done);
PLUSS_RT_API void pluss_rt_sample_end(pluss_rt_sample *sample);

/* threads < 1: no num_threads clause. Nonzero: the simulated thread is in the team. A nested team
 * has one thread. */
PLUSS_RT_API int pluss_rt_walk_parallel(pluss_rt_walk *walk, int64_t threads, int condition);
PLUSS_RT_API void pluss_rt_walk_join(pluss_rt_walk *walk); /* whether in the team or not */
PLUSS_RT_API void pluss_rt_walk_barrier(pluss_rt_walk *walk);

/* Number of iterations of a loop. The walk keeps the relation of range and step for the next
 * worksharing loop: guided chunks depend on it (team/dispatch.h). */
PLUSS_RT_API uint64_t pluss_rt_walk_trips(pluss_rt_walk *walk, int64_t first, int64_t last,
                                          int64_t step, uint32_t relation);
PLUSS_RT_API void pluss_rt_walk_loop(pluss_rt_walk *walk, uint64_t trips, uint32_t schedule,
                                     int64_t chunk, int nowait);
/* The thread's next iterations among base ... base + n - 1: how many in a row; 0: none. Within a
 * loop base ascends from call to call. */
PLUSS_RT_API uint64_t pluss_rt_walk_chunk(pluss_rt_walk *walk, uint64_t base, uint64_t n);
PLUSS_RT_API uint64_t pluss_rt_walk_first(const pluss_rt_walk *walk); /* of the last chunk */
PLUSS_RT_API void pluss_rt_walk_loop_end(pluss_rt_walk *walk);

/* See the OpenMP functions of these names. */
PLUSS_RT_API int pluss_rt_walk_thread_num(const pluss_rt_walk *walk);
PLUSS_RT_API int pluss_rt_walk_num_threads(const pluss_rt_walk *walk);
PLUSS_RT_API int pluss_rt_walk_max_threads(const pluss_rt_walk *walk);

PLUSS_RT_API void pluss_rt_walk_access(pluss_rt_walk *walk, uint32_t ref, const void *address);
/* In serial code, `master` and `single`: counted for thread 0 only. */
PLUSS_RT_API void pluss_rt_walk_access_once(pluss_rt_walk *walk, uint32_t ref, const void *address);

/* Assumed address of the simulated thread's private copy: at the same offset in a line, apart from
 * all other threads' copies. */
PLUSS_RT_API const void *pluss_rt_walk_own(const pluss_rt_walk *walk, const void *address);

#ifdef __cplusplus
}
#endif
#endif

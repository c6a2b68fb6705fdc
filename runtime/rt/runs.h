/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The interface between a sampler and a region's run.
 */
#ifndef PLUSSI_RT_RUNS_H
#define PLUSSI_RT_RUNS_H

#include "rt/collect.h"
#include "rt/known.h"
#include "rt/sampled_thread.h"

/* NULL in programs without an OpenMP runtime. */
extern int omp_get_max_threads(void) __attribute__((weak));

/* One team size. Allocated by malloc, and so is the array. */
typedef struct plussi_sampled {
    uint32_t team;         /* the largest */
    uint32_t default_team; /* of constructs without num_threads, at most team */
    uint64_t lost;         /* walks that could not be completed */
    bool all_lines;        /* were followed */
    const char *schedule;  /* of all loops, with this chunk (0: none); NULL: as in the source */
    int64_t chunk;
    plussi_collector **thread;     /* by thread; NULL: lost */
    plussi_sampled_thread **trace; /* by thread, or NULL: none */
    struct plussi_sampled *next;
} plussi_sampled;

/* NULL: the run is not recorded, or the calling thread is not the one to sample it. */
plussi_known *plussi_run_known(const pluss_rt_run *run);

/* Takes it over. It is recorded at the end of the run, with the symbols and addresses known then.
 */
void plussi_run_sampled(pluss_rt_run *run, plussi_sampled *sampled);

/* A sampler worked in it since then (nanoseconds), which is not the run's time. */
void plussi_run_was_sampled(pluss_rt_run *run, uint64_t since);

#endif

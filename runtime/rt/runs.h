/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What a sampler asks of a region's run, and leaves with it.
 */
#ifndef PLUSSI_RT_RUNS_H
#define PLUSSI_RT_RUNS_H

#include "rt/collect.h"
#include "rt/known.h"
#include "rt/sampled_thread.h"

/* NULL in programs without an OpenMP runtime. */
extern int omp_get_max_threads(void) __attribute__((weak));

/* One team size. Malloced, and the array too. */
typedef struct plussi_sampled {
    uint32_t team;         /* the largest */
    uint32_t default_team; /* of constructs without num_threads, at most team */
    uint64_t lost;         /* walks that could not be made whole */
    const char *schedule;  /* of all loops, with this chunk (0: none); NULL: as written */
    int64_t chunk;
    plussi_collector **thread;     /* team of them; NULL: lost */
    plussi_sampled_thread **trace; /* team of them, or NULL: none */
    struct plussi_sampled *next;
} plussi_sampled;

/* NULL: the run is not recorded, or it is not the calling thread's to sample. */
plussi_known *plussi_run_known(const pluss_rt_run *run);

/* Is recorded when the run ends, with the symbols and addresses that it then has. Takes it over. */
void plussi_run_sampled(pluss_rt_run *run, plussi_sampled *sampled);

#endif

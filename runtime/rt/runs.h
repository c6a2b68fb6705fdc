/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What a sampler asks of the regions' runs.
 */
#ifndef PLUSSI_RT_RUNS_H
#define PLUSSI_RT_RUNS_H

#include "rt/collect.h"

bool plussi_runs_inside(void); /* the calling thread is in a region that is being recorded */
void plussi_runs_lost(void);   /* no memory was left for a run */

/* Adds one sampled run: the collectors of its team's threads (NULL: lost; lost counts them). The
 * arguments stay the caller's. */
void plussi_runs_sampled(const pluss_rt_region *region, const int64_t *symbols,
                         const uint64_t *bases, uint32_t team, plussi_collector *const *thread,
                         uint64_t lost);

#endif

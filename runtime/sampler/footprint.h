/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many lines a program touches. Every line is counted for the first group, in text order, that
 * touches it. A group's lines are drawn from one of several sets of known size that contain them,
 * whichever promises the least variance: the range of all groups that can touch this memory (each
 * line then counts for any group that touches it), the lines given by the terms of the group's
 * subscript (lattice.h), or the executions that contain its first touches (firsts.h). Small sets
 * are counted completely; ranges known to be touched completely need no draws. docs/models.md,
 * "Footprint".
 */
#ifndef PLUSSI_SAMPLER_FOOTPRINT_H
#define PLUSSI_SAMPLER_FOOTPRINT_H

#include "sampler/engine.h"

typedef struct plussi_footprint {
    double lines; /* >= 1 if there are accesses; each counts once for every cache that touches it */
    double error; /* standard error; 0: exact */
} plussi_footprint;

/* Threads 0 ... threads_per_cache - 1 share a cache, the next ones another, and so on;
 * threads_per_cache >= team: one cache. The engine has accesses. At most about ten thousand
 * searches of a group for a line, ten times as many if the error is still above one per cent.
 * coarse > 1: one in so many searches, and errors that are as much larger as that lets expect. */
PLUSS_NODISCARD pluss_status plussi_footprint_count(plussi_ctx *ctx, const plussi_engine *engine,
                                                    uint32_t threads_per_cache, uint64_t seed,
                                                    uint32_t coarse, plussi_footprint *out);

#endif

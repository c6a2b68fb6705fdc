/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many lines a program touches. Every line is counted for the first group, in the text's order,
 * that touches it. A group's lines are drawn from one of several sets of known size that hold them
 * all, whichever promises the least variance: the range of all that can touch this memory (each
 * line then counts for whichever group touches it), the lines of the group's subscript's terms
 * (lattice.h), or the executions among which its first touches are (firsts.h), of which the first
 * counts. What is small is counted out; what the loops touch whole needs no drawing.
 * docs/models.md, "Footprint".
 */
#ifndef PLUSSI_SAMPLER_FOOTPRINT_H
#define PLUSSI_SAMPLER_FOOTPRINT_H

#include "sampler/engine.h"

typedef struct plussi_footprint {
    double lines; /* >= 1 where there are accesses; each as often as caches touch it */
    double error; /* standard error; 0: exact */
} plussi_footprint;

/* Threads 0 ... threads_per_cache - 1 share a cache, the next ones another, and so on;
 * threads_per_cache >= team: one cache. The engine has accesses. Some ten thousand searches of a
 * group for a line at most, ten times as many where one per cent is not reached with these. */
PLUSS_NODISCARD pluss_status plussi_footprint_count(plussi_ctx *ctx, const plussi_engine *engine,
                                                    uint32_t threads_per_cache, uint64_t seed,
                                                    plussi_footprint *out);

#endif

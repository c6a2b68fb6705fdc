/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Caches as text: sizes, or the levels of a memory hierarchy.
 */
#ifndef PLUSSI_STUDY_CACHE_LEVELS_H
#define PLUSSI_STUDY_CACHE_LEVELS_H

#include "cache/hierarchy.h"
#include "study/arguments.h"

enum { PLUSSI_CACHES_MOST = 64 };

/* The ways of one level. */
typedef struct plussi_ways_sweep {
    size_t level;
    plussi_sweep ways; /* 0: one set; n 0: there is none */
} plussi_ways_sweep;

/* Caches between commas, settings after colons:
 *
 *     32K,1M:shared=4
 *     L1=32K:ways=8,L2=1M:ways=16:inclusive,L3=32M:ways=11:shared:hashed
 *
 * [NAME=]SIZE[:ways=N|:ways=full|:ways=1..16|:ways=4/8/full][:private|:shared|:shared=THREADS][:inclusive|:exclusive]
 * [:hashed][:pages=BYTES][:write-through][:no-write-allocate]. What is left out: the ways, unknown;
 * private for a level with a name, shared for a mere size. *described: something says how the cache
 * works, which makes the list a hierarchy: each has a name, and there are at most
 * PLUSSI_LEVELS_MOST. *sweep: several ways of
 * one level, which has the first of them. false: refused. At most PLUSSI_CACHES_MOST. */
bool plussi_read_caches(plussi_argument *a, plussi_cache_level *level, size_t *n, bool *described,
                        plussi_ways_sweep *sweep);

#endif

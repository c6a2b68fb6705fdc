/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact simulation of a memory hierarchy: one order of accesses, counted at every level.
 *
 * Writes fetch the line and stay in the cache unless a level says otherwise. A line that was
 * written is written back when it is replaced; there the next level takes it in without using it
 * (its place in the order of replacement stays), or fetches nothing and keeps it. Levels of which
 * a team has several caches are coherent: a write takes the line away from the others, a read of a
 * line that another one has written makes that one write it back, to the first cache that both
 * share.
 */
#ifndef PLUSSI_CACHE_SIMULATOR_H
#define PLUSSI_CACHE_SIMULATOR_H

#include "cache/hierarchy.h"
#include "cache/misses.h"

typedef struct plussi_cache_access {
    uint64_t address; /* below 2^61; the access counts for the line that it begins in */
    uint32_t reference, thread;
    uint32_t bytes; /* at least 1 */
    bool write;
} plussi_cache_access;

/* What happened at a level, caused by accesses of one reference or thread. Write-backs are those of
 * the accesses that caused them, not of those that wrote. */
typedef struct plussi_level_counts {
    uint64_t requests; /* accesses that came to this level, written through the one before, too */
    uint64_t misses[PLUSSI_MISS_KINDS];
    uint64_t after_other; /* misses; another thread has made the latest touch of the line */
    uint64_t fetched, written_back; /* lines, from and to the next level or memory */
} plussi_level_counts;

typedef struct plussi_cache_simulator plussi_cache_simulator;

/* The caches of a team, all of them empty. PLUSS_EINVAL: as plussi_hierarchy_check, or a
 * team or number of references that is 0. */
PLUSS_NODISCARD pluss_status plussi_cache_simulator_new(plussi_ctx *ctx, const plussi_hierarchy *h,
                                                        uint32_t team, uint32_t n_references,
                                                        plussi_cache_simulator **out);
void plussi_cache_simulator_free(plussi_cache_simulator *simulator);

/* Empties the caches; the counts stay. PLUSS_ENOMEM: the counts mean nothing from then on. */
PLUSS_NODISCARD pluss_status plussi_cache_simulator_empty(plussi_ctx *ctx,
                                                          plussi_cache_simulator *simulator);

/* n accesses more. PLUSS_ENOMEM: the counts mean nothing from then on. O(levels * ways) an access,
 * and O(caches / 64) where a line is shared. Memory: 24 bytes a line of each cache, and 8 a line
 * that the caches ever held, and once more that the team ever touched. */
PLUSS_NODISCARD pluss_status plussi_cache_simulator_run(plussi_cache_simulator *simulator,
                                                        const plussi_cache_access *access,
                                                        size_t n);

/* By level, from 0, and reference or thread. */
const plussi_level_counts *plussi_cache_by_reference(const plussi_cache_simulator *simulator,
                                                     size_t level, uint32_t reference);
const plussi_level_counts *plussi_cache_by_thread(const plussi_cache_simulator *simulator,
                                                  size_t level, uint32_t thread);

static inline uint64_t plussi_level_misses(const plussi_level_counts *counts)
{
    uint64_t n = 0;
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        n += counts->misses[k];
    return n;
}

#endif

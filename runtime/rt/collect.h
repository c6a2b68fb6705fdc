/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Private reuse intervals of one logical thread (thread k of a region's run): a last-touch table,
 * a clock of its own accesses, and a count of each interval for each reference.
 */
#ifndef PLUSSI_RT_COLLECT_H
#define PLUSSI_RT_COLLECT_H

#include <stdbool.h>

#include "base/linemap.h"
#include "rt/rt.h"

/* Exact counts by key; open addressing, a slot is free when count == 0. */
typedef struct plussi_tally {
    struct plussi_tally_slot {
        uint64_t key, count;
    } * slot;
    size_t n, cap;
} plussi_tally;

bool plussi_tally_add(plussi_tally *tally, uint64_t key, uint64_t count); /* false: no memory */
bool plussi_tally_merge(plussi_tally *dst, const plussi_tally *src);
void plussi_tally_free(plussi_tally *tally);

typedef struct plussi_ref_tally {
    plussi_tally interval;
    uint64_t first;      /* accesses to a line that this thread had not touched in this run */
    plussi_tally shared; /* of these, by the number of threads that touched the line, from 2 */
} plussi_ref_tally;

/* A first touch; kept until it is known how many threads touched the line. */
typedef struct plussi_first_touch {
    uint64_t line;
    uint32_t ref;
} plussi_first_touch;

typedef struct plussi_collector {
    plussi_linemap last; /* line -> clock of the last touch, from 1 */
    uint64_t clock;      /* accesses so far */
    uint64_t lost;       /* accesses that no memory was left for */
    uint32_t n_refs;
    plussi_ref_tally *ref;
    plussi_first_touch *first;
    size_t n_first, cap_first;
} plussi_collector;

plussi_collector *plussi_collector_new(uint32_t n_refs); /* NULL: no memory */
void plussi_collector_free(plussi_collector *collector);

void plussi_collect(plussi_collector *collector, uint32_t ref, const pluss_rt_ref *shape,
                    uint64_t address);

/* At a run's end, of the collectors of its n threads (NULL: has done nothing): fills `shared`. */
void plussi_collect_shared(plussi_collector *const *thread, uint32_t n);

/* dst += src, reference by reference. */
void plussi_collector_merge(plussi_collector *dst, const plussi_collector *src);

#endif

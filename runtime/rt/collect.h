/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Private reuse intervals of one logical thread (thread k of a region's run): a last-touch table,
 * a clock of its own accesses, and a count of each interval for each reference.
 */
#ifndef PLUSSI_RT_COLLECT_H
#define PLUSSI_RT_COLLECT_H

#include <stdatomic.h>
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

enum { PLUSSI_RECENT_INTERVALS = 8 };

typedef struct plussi_ref_tally {
    /* The line that it touched last, and where that line's clock is. */
    uint64_t line;
    uint64_t *last;
    /* Counts of intervals by their low bits, on their way into `interval`. */
    struct plussi_recent {
        uint64_t interval, count;
    } recent[PLUSSI_RECENT_INTERVALS];
    plussi_tally interval;
    uint64_t first;      /* accesses to a line that this thread had not touched in this run */
    plussi_tally shared; /* of these, by the number of threads that touched the line, from 2 */
} plussi_ref_tally;

/* A first touch; kept until it is known how many threads touched the line. */
typedef struct plussi_first_touch {
    uint64_t line;
    uint32_t ref;
} plussi_first_touch;

/* Pages of the last-touch table that were used last, by the low bits of their number: the columns
 * of a matrix of so many rows. */
enum { PLUSSI_NEAR_PAGES = 1024 };
typedef struct plussi_near_page {
    uint64_t number;
    uint64_t *value; /* NULL: none */
} plussi_near_page;

typedef struct plussi_collector {
    plussi_linemap last;    /* line -> clock of the last touch, from 1 */
    plussi_near_page *near; /* made with the first touch */
    uint64_t clock;         /* accesses so far */
    uint64_t lost;          /* accesses that no memory was left for */
    uint32_t n_refs;
    const pluss_rt_ref *shape; /* of the references; its owner's to set */
    plussi_ref_tally *ref;
    plussi_first_touch *first;
    size_t n_first, cap_first;
    /* Its tables are being changed; see plussi_collectors_stop. */
    atomic_bool busy;
} plussi_collector;

plussi_collector *plussi_collector_new(uint32_t n_refs); /* NULL: no memory */
void plussi_collector_free(plussi_collector *collector);

/* One access to one line: of a reference that touched it last, and not. */
void plussi_touch_other(plussi_collector *collector, plussi_ref_tally *tally, uint64_t line);
void plussi_touch_interval(plussi_collector *collector, plussi_ref_tally *tally, uint64_t interval);

static inline void plussi_touch(plussi_collector *c, uint32_t ref, uint64_t line)
{
    plussi_ref_tally *tally = &c->ref[ref];
    if (__builtin_expect(tally->line != line, 0)) {
        plussi_touch_other(c, tally, line);
        return;
    }
    uint64_t now = ++c->clock, interval = now - *tally->last;
    *tally->last = now;
    struct plussi_recent *recent = &tally->recent[interval % PLUSSI_RECENT_INTERVALS];
    if (__builtin_expect(recent->interval == interval, 1))
        recent->count++;
    else
        plussi_touch_interval(c, tally, interval);
}

/* Of an access that may touch more than one line. */
void plussi_collect_wide(plussi_collector *collector, uint32_t ref, uint64_t width,
                         uint64_t address);

static inline void plussi_collect(plussi_collector *collector, uint32_t ref,
                                  const pluss_rt_ref *shape, uint64_t address)
{
    if (__builtin_expect((address & (shape->stride_gcd - 1u)) + shape->width <= shape->stride_gcd,
                         1))
        plussi_touch(collector, ref, address / PLUSS_RT_LINE_BYTES);
    else
        plussi_collect_wide(collector, ref, shape->width, address);
}

/* Puts all counts into the tallies; before they are looked at. */
void plussi_collector_flush(plussi_collector *collector);

/* For the end of a process whose other threads go on: after it no tables change, and accesses that
 * would have to change some are dropped; counts that are there may still rise. There is no way
 * back. */
void plussi_collectors_stop(void);
/* After that: dst += src, which another thread may be at. */
void plussi_collector_merge_live(plussi_collector *dst, const plussi_collector *src);

/* At a run's end, of the collectors of its n threads (NULL: has done nothing): fills `shared`. */
void plussi_collect_shared(plussi_collector *const *thread, uint32_t n);

/* dst += src, reference by reference. */
void plussi_collector_merge(plussi_collector *dst, const plussi_collector *src);

#endif

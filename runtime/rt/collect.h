/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Private reuse intervals of one logical thread (thread k of a region's run): a table of last
 * touches, a clock of its own accesses, and counts of intervals for each reference.
 */
#ifndef PLUSSI_RT_COLLECT_H
#define PLUSSI_RT_COLLECT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/linemap.h"
#include "rt/rt.h"

typedef struct plussi_tally_slot {
    uint64_t key, count;
} plussi_tally_slot;

/* Exact counts by key; base/map.h, a slot with count 0 is empty. */
typedef struct plussi_tally {
    plussi_tally_slot *slot;
    size_t n, cap;
} plussi_tally;

bool plussi_tally_add(plussi_tally *tally, uint64_t key, uint64_t count); /* false: no memory */
bool plussi_tally_has(const plussi_tally *tally, uint64_t key); /* counted at least once; O(1) */
/* Would another key need memory? */
bool plussi_tally_is_full(const plussi_tally *tally);
bool plussi_tally_merge(plussi_tally *dst, const plussi_tally *src);
void plussi_tally_free(plussi_tally *tally);

enum { PLUSSI_RECENT_INTERVALS = 8 };

struct plussi_recent {
    uint64_t interval, count;
};

typedef struct plussi_ref_tally {
    /* Its last access, if to a single line, and that line's clock. An access whose address is equal
     * in `bits` is to the same line, and to no other. */
    uint64_t at, bits;
    uint64_t *last;
    /* Counts that are not yet in `interval`: the usual interval of accesses to the same line;
     * others by their low bits. */
    struct plussi_recent usual, recent[PLUSSI_RECENT_INTERVALS];
    uint32_t unusual; /* accesses to the same line with an interval found in `recent` */
    plussi_tally interval;
    uint64_t first; /* accesses to lines that this thread had not touched in this run */
    /* Of a collector that follows lines (rt/follow.h): counts in place of `recent`, NULL: not yet;
     * once not all lines are followed, far accesses, and those to lines that are, with weights. */
    uint64_t *bins;
    uint64_t passed, far_first;
    plussi_tally far;
    plussi_tally shared; /* first touches by the number of threads that touched the line, from 2 */
} plussi_ref_tally;

/* Counts of a thread over several runs, by reference. */
typedef struct plussi_totals {
    uint64_t accesses, lost;
    unsigned shift;                    /* the least rate of followed lines was 2^-shift */
    struct plussi_line_groups *groups; /* of these lines; NULL: all were followed */
    uint32_t n_refs;
    struct plussi_ref_totals {
        uint64_t first;
        plussi_tally interval, shared;
        uint64_t passed, far_first; /* as in plussi_ref_tally: to be scaled when they are read */
        plussi_tally far;
    } ref[];
} plussi_totals;

plussi_totals *plussi_totals_new(uint32_t n_refs); /* NULL: no memory */
void plussi_totals_free(plussi_totals *totals);    /* NULL is allowed */
size_t plussi_totals_bytes(const plussi_totals *totals);

/* A first touch; kept until the number of threads that touched the line is known. */
typedef struct plussi_first_touch {
    uint64_t line, at; /* the clock then */
    uint32_t ref;
    uint64_t last; /* the clock of the last touch, where the table of these is freed; else 0 */
} plussi_first_touch;

/* Recently used pages of the table of last touches, by the low bits of their numbers: the columns
 * of a matrix with that many rows. */
enum { PLUSSI_NEAR_PAGES = 1024 };
typedef struct plussi_near_page {
    uint64_t number;
    uint64_t *value; /* NULL: none */
} plussi_near_page;

typedef struct plussi_collector {
    plussi_linemap last;    /* line -> clock of the last touch, from 1 */
    plussi_near_page *near; /* allocated after some touches */
    uint64_t clock;         /* accesses so far */
    uint64_t lost;          /* accesses lost for lack of memory */
    uint32_t n_refs;
    struct plussi_follower *follow; /* NULL: it looks up every line by itself */
    struct plussi_follower *spare_follower;
    const pluss_rt_ref *shape; /* of the references; its owner sets it */
    plussi_ref_tally *ref;
    plussi_first_touch *first;
    size_t n_first, cap_first;
    /* When it was paused last (rt/follow.h), 0: not yet; the first touches since then of lines that
     * it had touched before. */
    uint64_t paused;
    plussi_first_touch *again;
    size_t n_again, cap_again;
    /* Its tables are being changed; see plussi_collectors_stop. */
    atomic_bool busy;
    uint32_t finds;                /* lookups in `last`, until there is `near` */
    struct plussi_collector *next; /* next free one */
} plussi_collector;

plussi_collector *plussi_collector_new(uint32_t n_refs); /* NULL: no memory */
void plussi_collector_free(plussi_collector *collector);
/* A cleared and freed one; small ones are kept for reuse. */
plussi_collector *plussi_collector_take(uint32_t n_refs);
void plussi_collector_give(plussi_collector *collector);
/* No more accesses follow: frees large tables of last touches; before that, first touches can get
 * what such a table has. O(lines). */
void plussi_collector_keep_last(plussi_collector *collector);
void plussi_collector_shed(plussi_collector *collector);
void plussi_collectors_forget(void); /* in a child process */

/* An access that is not to the line of the reference's previous access; one that is, but not after
 * the usual interval. */
void plussi_collect_elsewhere(plussi_collector *collector, plussi_ref_tally *tally,
                              const pluss_rt_ref *shape, uint64_t address);
void plussi_collect_unusual(plussi_collector *collector, plussi_ref_tally *tally,
                            uint64_t interval);

/* One execution of a reference: one access, or several if its shape allows it to straddle a line. A
 * reference's shape never changes. */
static inline void plussi_collect(plussi_collector *c, uint32_t ref, const pluss_rt_ref *shape,
                                  uint64_t address)
{
    plussi_ref_tally *tally = &c->ref[ref];
    if (__builtin_expect(((address ^ tally->at) & tally->bits) != 0, 0)) {
        plussi_collect_elsewhere(c, tally, shape, address);
        return;
    }
    uint64_t now = ++c->clock, interval = now - *tally->last;
    *tally->last = now;
    if (__builtin_expect(interval == tally->usual.interval, 1))
        tally->usual.count++;
    else
        plussi_collect_unusual(c, tally, interval);
}

/* For rt/follow.c. May tables be changed? Then end_change follows. */
bool plussi_collector_begin_change(plussi_collector *collector);
void plussi_collector_end_change(plussi_collector *collector);
/* An access that is the first to its line is listed, or the first since the collector was paused;
 * one with an interval that is not in its slot of `recent` is put there. */
void plussi_collect_first(plussi_collector *collector, const plussi_ref_tally *tally,
                          uint64_t line);
void plussi_collect_again(plussi_collector *collector, const plussi_ref_tally *tally,
                          uint64_t line);
void plussi_collect_recent(plussi_collector *collector, plussi_ref_tally *tally, uint64_t interval);

/* Puts all counts into the tallies; called before these are read. */
void plussi_collector_flush(plussi_collector *collector);

/* For the end of a process whose other threads go on: afterwards no tables change, and accesses
 * that would change one are dropped; existing counts may still rise. Irreversible. */
void plussi_collectors_stop(void);
/* Afterwards: dst += src, which another thread may be using. */
void plussi_totals_add_live(plussi_totals *dst, const plussi_collector *src);

/* At the end of a run, for the collectors of its n threads (NULL: no access): puts the last touches
 * of followed lines into `last`, and leaves first touches of lines that all threads follow. Returns
 * s; they follow one line in 2^s. */
unsigned plussi_collectors_settle(plussi_collector *const *thread, uint32_t n);
/* The same within a run, whose threads wait: another run begins. The first touch of each
 * followed line after that is listed again. O(sets of near lines that were touched). */
unsigned plussi_collectors_pause(plussi_collector *const *thread, uint32_t n);
/* Of threads that may still run, after plussi_collectors_stop: s alone. */
unsigned plussi_collectors_settle_live(plussi_collector *const *thread, uint32_t n);
/* Then: sets `shared`, by the lines that all threads follow. */
void plussi_collect_shared(plussi_collector *const *thread, uint32_t n, unsigned shift);

/* dst += src, reference by reference. */
void plussi_totals_add(plussi_totals *dst, const plussi_collector *src);

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Private reuse intervals of threads that make more accesses than can be looked up one by one.
 *
 * Last touches are kept in a small table first, two lines a set, the latest in front. An access to
 * a line that is in it is near: its interval is known at once. Others are far. As long as all
 * lines are followed, the last touch of a far one is looked up in the collector's table of lines,
 * and everything is exact.
 *
 * After a number of accesses only so many lines are followed: those whose hash is below a
 * threshold, which is halved whenever there are more (fixed-size spatial sampling, as in SHARDS:
 * Waldspurger, Park, Garthwaite, Ahmad, "Efficient MRC Construction with SHARDS", FAST 2015).
 * Near accesses are still counted one by one, the intervals of far ones are those of the followed
 * lines, each with the weight 1 / rate at that time, scaled for each reference to its number of far
 * accesses, which is known. So the sample decides on far accesses alone, and lines that are touched
 * all the time, which make samples of lines uncertain, are not among them.
 *
 * The standard error comes from random groups of the followed lines.
 */
#ifndef PLUSSI_RT_FOLLOW_H
#define PLUSSI_RT_FOLLOW_H

#include "base/line_sample.h"
#include "rt/collect.h"

enum {
    PLUSSI_NEAR_BITS = 10,
    PLUSSI_NEAR_SETS = 1 << PLUSSI_NEAR_BITS,
    PLUSSI_FOLLOWED_LINES = 8192 /* at most, once not all are */
};

/* A set: entry 0 is the later one. */
typedef struct plussi_near_set {
    uint64_t key[2]; /* line + 1; 0: none */
    uint64_t clock[2];
    uint64_t *last[2]; /* of followed lines: where the clock goes when they leave; else NULL */
    uint64_t unused[2];
} plussi_near_set;

struct plussi_follower {
    plussi_near_set near[PLUSSI_NEAR_SETS]; /* each in a line: rt/own_memory.h */
    uint64_t from;                          /* the clock from which lines may be left out */
    uint64_t threshold;                     /* of hashes of followed lines */
    unsigned shift;                         /* the rate is 2^-shift */
    size_t followed, most;
    plussi_line_groups *groups;            /* NULL: all lines are followed */
    uint64_t dirty[PLUSSI_NEAR_SETS / 64]; /* sets that have entries */
};

/* The collector, which has no accesses yet, follows all lines until its clock is `from`, then at
 * most `most`, from the beginning one of 2^shift. False: no memory, and it takes none. */
bool plussi_collector_follow(plussi_collector *collector, uint64_t from, size_t most,
                             unsigned shift);
void plussi_follower_wipe(struct plussi_follower *follower); /* for another use */
void plussi_follower_free(struct plussi_follower *follower); /* NULL is allowed */
/* An execution of a reference, by the rule of plussi_collect. */
void plussi_follow(plussi_collector *collector, uint32_t ref, const pluss_rt_ref *shape,
                   uint64_t address);

/* For plussi_follow_line: an access to a line that is not the first of its set; an interval of a
 * reference without bins. */
void plussi_follow_further(plussi_collector *collector, plussi_ref_tally *tally, uint64_t line,
                           uint64_t now);
void plussi_follow_count(plussi_collector *collector, plussi_ref_tally *tally, uint64_t interval);

static inline size_t plussi_near_number(uint64_t line)
{
    return plussi_hash(line) >> (64 - PLUSSI_NEAR_BITS);
}
static inline plussi_near_set *plussi_near_set_of(plussi_collector *collector, uint64_t line)
{
    return &collector->follow->near[plussi_near_number(line)];
}

/* One line of an execution of a reference. */
static inline void plussi_follow_line(plussi_collector *c, plussi_ref_tally *tally, uint64_t line)
{
    const uint64_t now = ++c->clock;
    plussi_near_set *set = plussi_near_set_of(c, line);
    if (__builtin_expect(set->key[0] != line + 1, 0)) {
        plussi_follow_further(c, tally, line, now);
        return;
    }
    const uint64_t interval = now - set->clock[0];
    set->clock[0] = now;
    if (__builtin_expect(tally->bins != NULL, 1))
        tally->bins[plussi_bin_of(interval, PLUSSI_FINE_BITS)]++;
    else
        plussi_follow_count(c, tally, interval);
}

/* As plussi_collectors_pause: near lines are far again, and their clocks in the table of last
 * touches. */
void plussi_follower_pause(plussi_collector *collector);
/* At the end of a run: puts the clocks of followed lines into the table of last touches. */
void plussi_follower_settle(plussi_collector *collector);
/* Leaves the first touches of lines that are followed at 2^-shift alone. */
void plussi_follower_thin_first(plussi_collector *collector, unsigned shift);

/* Adds the counts of its bins; returns how many are lost for lack of memory. */
uint64_t plussi_bins_add(const plussi_ref_tally *from, plussi_tally *to);
/* Adds the groups and the rate; false: no memory. */
bool plussi_line_groups_add(plussi_totals *to, const plussi_collector *from);

/* A reference of totals with its far accesses among the others, scaled; without any followed line
 * of its own as those of all references. The caller frees `interval` and `shared`. False: no
 * memory. */
bool plussi_totals_scaled(const plussi_totals *totals, uint32_t ref, struct plussi_ref_totals *out);
/* Its far accesses once not all lines were followed; what is lost, these included if none of the
 * lines was followed. */
uint64_t plussi_totals_passed(const plussi_totals *totals);
uint64_t plussi_totals_lost(const plussi_totals *totals);
/* The standard error of the number of accesses of these n threads (NULL: none) with an interval
 * above one, by plussi_line_groups_error: up to all that have passed. O(n * groups * bins). */
uint64_t plussi_totals_error(plussi_totals *const *thread, uint32_t n);

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/follow.h"

#include <string.h>

#include "rt/hold_signals.h"
#include "rt/keep_errno.h"
#include "rt/own_memory.h"

enum { MANY_INTERVALS = 512 /* different ones in a reference's tally, before it has bins */ };

/* Rare cases are kept out of the function that most accesses go through. */
#define SELDOM __attribute__((noinline, cold))

bool plussi_collector_follow(plussi_collector *c, uint64_t from, size_t most, unsigned shift)
{
    struct plussi_follower *f = c->spare_follower;
    if (!f) {
        f = plussi_calloc(&plussi_own, 1, sizeof *f);
        if (!f)
            return false;
    }
    f->from = from;
    f->most = most;
    f->shift = shift;
    f->threshold = plussi_line_threshold(shift);
    f->followed = 0;
    if (shift && !f->groups) {
        f->groups = plussi_calloc(&plussi_own, 1, sizeof *f->groups);
        if (!f->groups) { /* all lines, then */
            f->shift = 0;
            f->threshold = UINT64_MAX;
            f->most = SIZE_MAX;
        }
    }
    c->spare_follower = NULL;
    c->follow = f;
    return true;
}

void plussi_follower_free(struct plussi_follower *f)
{
    if (f)
        plussi_free(&plussi_own, f->groups);
    plussi_free(&plussi_own, f);
}

static void forget_near(struct plussi_follower *f)
{
    for (unsigned i = 0; i < PLUSSI_NEAR_SETS / 64; i++) {
        for (uint64_t dirty = f->dirty[i]; dirty; dirty &= dirty - 1)
            f->near[64 * i + (unsigned)__builtin_ctzll(dirty)] = (plussi_near_set){0};
        f->dirty[i] = 0;
    }
}

void plussi_follower_wipe(struct plussi_follower *f)
{
    forget_near(f);
    plussi_free(&plussi_own, f->groups);
    f->groups = NULL;
}

/* ---- fewer lines ------------------------------------------------------------------------------
 */

void plussi_follower_thin_first(plussi_collector *c, unsigned shift)
{
    const uint64_t threshold = plussi_line_threshold(shift);
    size_t kept = 0;
    for (size_t i = 0; i < c->n_first; i++)
        if (plussi_line_hash(c->first[i].line) <= threshold)
            c->first[kept++] = c->first[i];
    c->n_first = kept;
}

/* Until there are few enough. Those that are given up keep what was counted of them. */
static SELDOM void follow_fewer(plussi_collector *c)
{
    struct plussi_follower *f = c->follow;
    if (!f->groups && !(f->groups = plussi_calloc(&plussi_own, 1, sizeof *f->groups))) {
        f->most = SIZE_MAX; /* no error could be told: all lines, then */
        return;
    }
    while (f->followed > f->most && f->shift < PLUSSI_LEAST_RATE_BITS) {
        f->threshold = plussi_line_threshold(++f->shift);
        plussi_follower_thin_first(c, f->shift);
        f->followed = c->n_first;
    }
    if (f->followed > f->most)
        f->most = SIZE_MAX;
    for (unsigned i = 0; i < PLUSSI_NEAR_SETS; i++)
        for (unsigned way = 0; way < 2; way++)
            if (plussi_line_hash(f->near[i].key[way] - 1) > f->threshold)
                f->near[i].last[way] = NULL;
}

/* ---- accesses ---------------------------------------------------------------------------------
 */

static SELDOM void make_bins(plussi_collector *c, plussi_ref_tally *tally)
{
    PLUSSI_KEEP_ERRNO;
    PLUSSI_HOLD_SIGNALS;
    if (!plussi_collector_begin_change(c))
        return;
    tally->bins = plussi_calloc(&plussi_own, PLUSSI_FINE_BINS, sizeof *tally->bins);
    plussi_collector_end_change(c);
}

/* Another interval is in the slot of its low bits. */
static SELDOM void count_other(plussi_collector *c, plussi_ref_tally *tally, uint64_t interval)
{
    if (tally->interval.n >= MANY_INTERVALS)
        make_bins(c, tally);
    if (plussi_tally_is_full(&tally->interval)) {
        PLUSSI_HOLD_SIGNALS;
        plussi_collect_recent(c, tally, interval);
    } else {
        plussi_collect_recent(c, tally, interval);
    }
}

void plussi_follow_count(plussi_collector *c, plussi_ref_tally *tally, uint64_t interval)
{
    struct plussi_recent *recent = &tally->recent[interval % PLUSSI_RECENT_INTERVALS];
    if (tally->bins)
        tally->bins[plussi_bin_of(interval, PLUSSI_FINE_BITS)]++;
    else if (recent->interval == interval)
        recent->count++;
    else
        count_other(c, tally, interval);
}

/* The last touch of a line that was not touched before, nor one near it. */
static SELDOM uint64_t *find_last(plussi_collector *c, uint64_t line)
{
    PLUSSI_KEEP_ERRNO;
    PLUSSI_HOLD_SIGNALS;
    if (!plussi_collector_begin_change(c))
        return NULL;
    uint64_t *last = plussi_linemap_at(&c->last, line);
    if (!last)
        c->lost++;
    plussi_collector_end_change(c);
    return last;
}

static SELDOM void touch_new(plussi_collector *c, plussi_ref_tally *tally, uint64_t line,
                             uint64_t hash)
{
    struct plussi_follower *f = c->follow;
    if (f->shift) {
        const uint64_t weight = (uint64_t)1 << f->shift;
        tally->far_first += weight;
        plussi_line_group_of(f->groups, hash)[PLUSSI_NEVER_BIN] += (double)weight;
    } else {
        tally->first++;
    }
    f->followed++;
    if (c->n_first == c->cap_first) {
        PLUSSI_HOLD_SIGNALS;
        plussi_collect_first(c, tally, line);
    } else {
        plussi_collect_first(c, tally, line);
    }
}

/* The first touch since the collector was paused, of a line that it had touched before. */
static SELDOM void touch_again(plussi_collector *c, plussi_ref_tally *tally, uint64_t line)
{
    if (c->n_again == c->cap_again) {
        PLUSSI_HOLD_SIGNALS;
        plussi_collect_again(c, tally, line);
    } else {
        plussi_collect_again(c, tally, line);
    }
}

static bool add_far(plussi_collector *c, plussi_ref_tally *tally, uint64_t key, uint64_t weight)
{
    PLUSSI_KEEP_ERRNO;
    bool added = plussi_collector_begin_change(c);
    if (added && plussi_tally_is_full(&tally->far)) {
        PLUSSI_HOLD_SIGNALS;
        added = plussi_tally_add(&tally->far, key, weight);
    } else if (added) {
        added = plussi_tally_add(&tally->far, key, weight);
    }
    plussi_collector_end_change(c);
    return added;
}

/* A far access to a followed line, once not all are. */
static SELDOM void count_far(plussi_collector *c, plussi_ref_tally *tally, uint64_t hash,
                             uint64_t interval)
{
    struct plussi_follower *f = c->follow;
    const uint64_t weight = (uint64_t)1 << f->shift;
    const uint64_t key =
        plussi_bin_interval(plussi_bin_of(interval, PLUSSI_FINE_BITS), PLUSSI_FINE_BITS);
    if (add_far(c, tally, key, weight))
        plussi_line_group_of(f->groups, hash)[plussi_bin_of(interval, PLUSSI_COARSE_BITS)] +=
            (double)weight;
}

/* Returns where its last touch is kept; NULL: it is not followed. */
static uint64_t *touch_far(plussi_collector *c, plussi_ref_tally *tally, uint64_t line,
                           uint64_t now)
{
    struct plussi_follower *f = c->follow;
    const uint64_t hash = plussi_line_hash(line);
    if (__builtin_expect(now > f->from && f->followed > f->most, 0)) {
        PLUSSI_KEEP_ERRNO;
        PLUSSI_HOLD_SIGNALS;
        if (plussi_collector_begin_change(c)) {
            follow_fewer(c);
            plussi_collector_end_change(c);
        }
    }
    if (f->shift) {
        tally->passed++;
        if (hash > f->threshold)
            return NULL;
    }
    uint64_t *last = plussi_linemap_known(&c->last, line);
    if (!last)
        last = find_last(c, line);
    if (!last)
        return NULL;
    if (*last && *last <= c->paused)
        touch_again(c, tally, line);
    if (!*last)
        touch_new(c, tally, line, hash);
    else if (f->shift)
        count_far(c, tally, hash, now - *last);
    else
        plussi_follow_count(c, tally, now - *last);
    *last = now;
    return last;
}

/* Puts a line into the set's first entry, whose line moves to the second. */
static inline void put_first(plussi_near_set *set, uint64_t line, uint64_t now, uint64_t *last)
{
    set->key[1] = set->key[0];
    set->clock[1] = set->clock[0];
    set->last[1] = set->last[0];
    set->key[0] = line + 1;
    set->clock[0] = now;
    set->last[0] = last;
}

static __attribute__((noinline)) void follow_far(plussi_collector *c, plussi_ref_tally *tally,
                                                 uint64_t line, uint64_t now)
{
    plussi_near_set *set = plussi_near_set_of(c, line);
    const size_t number = (size_t)(set - c->follow->near);
    c->follow->dirty[number / 64] |= (uint64_t)1 << number % 64;
    if (set->last[1])
        *set->last[1] = set->clock[1];
    uint64_t *last = touch_far(c, tally, line, now); /* may clear `last` of the sets */
    put_first(set, line, now, last);
}

void plussi_follow_further(plussi_collector *c, plussi_ref_tally *tally, uint64_t line,
                           uint64_t now)
{
    plussi_near_set *set = plussi_near_set_of(c, line);
    if (set->key[1] != line + 1) {
        follow_far(c, tally, line, now);
        return;
    }
    const uint64_t before = set->clock[1];
    uint64_t *last = set->last[1];
    put_first(set, line, now, last);
    plussi_follow_count(c, tally, now - before);
}

void plussi_follow(plussi_collector *c, uint32_t ref, const pluss_rt_ref *shape, uint64_t address)
{
    plussi_ref_tally *tally = &c->ref[ref];
    uint64_t end = 0;
    if (__builtin_expect((address & (shape->stride_gcd - 1u)) + shape->width > shape->stride_gcd,
                         0)) {
        end = shape->width - 1;
        for (uint64_t byte = 0; byte < end; byte += PLUSS_RT_LINE_BYTES)
            plussi_follow_line(c, tally, (address + byte) / PLUSS_RT_LINE_BYTES);
    }
    plussi_follow_line(c, tally, (address + end) / PLUSS_RT_LINE_BYTES);
}

void plussi_follower_settle(plussi_collector *c)
{
    struct plussi_follower *f = c->follow;
    for (unsigned i = 0; i < PLUSSI_NEAR_SETS / 64; i++)
        for (uint64_t dirty = f->dirty[i]; dirty; dirty &= dirty - 1) {
            plussi_near_set *set = &f->near[64 * i + (unsigned)__builtin_ctzll(dirty)];
            for (unsigned way = 0; way < 2; way++)
                if (set->last[way])
                    *set->last[way] = set->clock[way];
        }
}

void plussi_follower_pause(plussi_collector *c)
{
    plussi_follower_settle(c);
    forget_near(c->follow);
}

/* ---- counts -----------------------------------------------------------------------------------
 */

uint64_t plussi_bins_add(const plussi_ref_tally *from, plussi_tally *to)
{
    uint64_t lost = 0;
    for (uint32_t bin = 0; from->bins && bin < PLUSSI_FINE_BINS; bin++)
        if (!plussi_tally_add(to, plussi_bin_interval(bin, PLUSSI_FINE_BITS), from->bins[bin]))
            lost += from->bins[bin];
    return lost;
}

bool plussi_line_groups_add(plussi_totals *to, const plussi_collector *c)
{
    const plussi_line_groups *from = c->follow ? c->follow->groups : NULL;
    if (!from)
        return true;
    to->shift = c->follow->shift > to->shift ? c->follow->shift : to->shift;
    if (!to->groups && !(to->groups = plussi_calloc(&plussi_own, 1, sizeof *to->groups)))
        return false;
    plussi_line_groups_merge(to->groups, from);
    return true;
}

static uint64_t weight_of(const struct plussi_ref_totals *ref)
{
    uint64_t sum = ref->far_first;
    for (size_t i = 0; i < ref->far.cap; i++)
        sum += ref->far.slot[i].count;
    return sum;
}

/* Scales what is added up, so that the parts add up to passed. */
typedef struct scale {
    uint64_t passed, weight, before;
} scale;

static uint64_t next_part(scale *s, uint64_t count)
{
    const uint64_t from = (uint64_t)((unsigned __int128)s->before * s->passed / s->weight);
    s->before += count;
    return (uint64_t)((unsigned __int128)s->before * s->passed / s->weight) - from;
}

/* Adds what some references' followed lines stand for; false: no memory. */
static bool add_scaled(const struct plussi_ref_totals *from, uint32_t n, scale *s,
                       struct plussi_ref_totals *to)
{
    bool added = true;
    for (uint32_t r = 0; r < n; r++) {
        to->first += next_part(s, from[r].far_first);
        for (size_t i = 0; i < from[r].far.cap && added; i++) {
            const plussi_tally_slot *slot = &from[r].far.slot[i];
            added = plussi_tally_add(&to->interval, slot->key, next_part(s, slot->count));
        }
    }
    return added;
}

/* Touches by threads that share lines are no more than all first touches. */
static void limit_shared(struct plussi_ref_totals *ref)
{
    uint64_t all = 0;
    for (size_t i = 0; i < ref->shared.cap; i++)
        all += ref->shared.slot[i].count;
    scale s = {ref->first, all, 0};
    ref->shared.n = 0;
    for (size_t i = 0; all > ref->first && i < ref->shared.cap; i++)
        ref->shared.slot[i].count = next_part(&s, ref->shared.slot[i].count);
    for (size_t i = 0; i < ref->shared.cap; i++)
        ref->shared.n += ref->shared.slot[i].count != 0;
}

bool plussi_totals_scaled(const plussi_totals *t, uint32_t ref, struct plussi_ref_totals *out)
{
    const struct plussi_ref_totals *from = &t->ref[ref];
    scale s = {from->passed, weight_of(from), 0};
    uint32_t n = 1;
    *out = (struct plussi_ref_totals){.first = from->first};
    if (s.passed && !s.weight) {
        from = t->ref;
        n = t->n_refs;
        for (uint32_t r = 0; r < n; r++)
            s.weight += weight_of(&from[r]);
    }
    bool made = plussi_tally_merge(&out->interval, &t->ref[ref].interval) &&
                plussi_tally_merge(&out->shared, &t->ref[ref].shared);
    if (s.passed && s.weight)
        made = made && add_scaled(from, n, &s, out);
    if (!made) {
        plussi_tally_free(&out->interval);
        plussi_tally_free(&out->shared);
        return false;
    }
    limit_shared(out);
    return true;
}

uint64_t plussi_totals_lost(const plussi_totals *t)
{
    for (uint32_t r = 0; r < t->n_refs; r++)
        if (weight_of(&t->ref[r]))
            return t->lost;
    return t->lost + plussi_totals_passed(t);
}

uint64_t plussi_totals_passed(const plussi_totals *t)
{
    uint64_t passed = 0;
    for (uint32_t r = 0; r < t->n_refs; r++)
        passed += t->ref[r].passed;
    return passed;
}

uint64_t plussi_totals_error(plussi_totals *const *thread, uint32_t n)
{
    plussi_line_groups groups = {0};
    double passed = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (!thread[k] || !thread[k]->groups)
            continue;
        passed += (double)plussi_totals_passed(thread[k]);
        plussi_line_groups_merge(&groups, thread[k]->groups);
    }
    return (uint64_t)(passed * plussi_line_groups_error(&groups) + 0.5);
}

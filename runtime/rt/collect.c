/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/collect.h"

#include "rt/follow.h"
#include "rt/keep_errno.h"
#include "rt/own_memory.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_TALLY = 4 };

PLUSSI_NUMBER_MAP(counts, plussi_tally_slot, key, count)

bool plussi_tally_add(plussi_tally *tally, uint64_t key, uint64_t count)
{
    if (count == 0)
        return true;
    if (!counts_reserve(&plussi_own, &tally->slot, &tally->cap, FIRST_TALLY, tally->n + 1))
        return false;
    plussi_tally_slot *slot = counts_find(tally->slot, tally->cap, key, key);
    if (!slot->count) {
        slot->key = key;
        tally->n++;
    }
    slot->count += count;
    return true;
}

bool plussi_tally_has(const plussi_tally *tally, uint64_t key)
{
    const plussi_tally_slot *slot = counts_find(tally->slot, tally->cap, key, key);
    return slot && slot->count;
}

bool plussi_tally_is_full(const plussi_tally *tally)
{
    return tally->n + 1 > tally->cap / 3 * 2;
}

/* Not in the order of the slots, which is that of the keys' hashes: it fills one part of a smaller
 * table after the other, where a key is found after as many steps as there are keys. The factor is
 * odd, so that each slot has its turn. */
bool plussi_tally_merge(plussi_tally *dst, const plussi_tally *src)
{
    for (size_t i = 0; i < src->cap; i++) {
        const plussi_tally_slot *slot = &src->slot[plussi_hash(i) & (src->cap - 1)];
        if (!plussi_tally_add(dst, slot->key, slot->count))
            return false;
    }
    return true;
}

void plussi_tally_free(plussi_tally *tally)
{
    plussi_free(&plussi_own, tally->slot);
    *tally = (plussi_tally){0};
}

plussi_collector *plussi_collector_new(uint32_t n_refs)
{
    plussi_collector *c = plussi_calloc(&plussi_own, 1, sizeof *c);
    if (!c)
        return NULL;
    plussi_linemap_init(&c->last, &plussi_own);
    c->n_refs = n_refs;
    c->ref = plussi_calloc(&plussi_own, n_refs ? n_refs : 1, sizeof *c->ref);
    if (!c->ref) {
        plussi_collector_free(c);
        return NULL;
    }
    for (uint32_t r = 0; r < n_refs; r++)
        c->ref[r].at = c->ref[r].bits = UINT64_MAX;
    return c;
}

static void ref_tally_free(plussi_ref_tally *tally)
{
    plussi_tally_free(&tally->interval);
    plussi_tally_free(&tally->shared);
    plussi_tally_free(&tally->far);
    plussi_free(&plussi_own, tally->bins);
}

void plussi_collector_free(plussi_collector *c)
{
    if (!c)
        return;
    for (uint32_t r = 0; c->ref && r < c->n_refs; r++)
        ref_tally_free(&c->ref[r]);
    plussi_free(&plussi_own, c->ref);
    plussi_free(&plussi_own, c->first);
    plussi_free(&plussi_own, c->again);
    plussi_linemap_free(&c->last);
    plussi_free(&plussi_own, c->near);
    plussi_follower_free(c->follow);
    plussi_follower_free(c->spare_follower);
    plussi_free(&plussi_own, c);
}

/* ---- collectors that wait for another use ------------------------------------------------------
 *
 * A region with little work must not cost more than that work: it reuses collectors whose tables
 * exist, by their number of references. */

enum {
    SPARE_LISTS = 64,
    SPARE_OF_A_LIST = 64,
    /* Larger ones are returned to the system, so that clearing takes a microsecond at most. */
    SPARE_PAGES = 32,
    SPARE_SLOTS = 64,
    SPARE_FIRST = 1024,
    SPARE_REFS = 64
};

static struct {
    plussi_collector *first;
    unsigned n;
} spare[SPARE_LISTS];
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

void plussi_collectors_forget(void)
{
    pthread_mutex_init(&spare_lock, NULL);
    memset(spare, 0, sizeof spare); /* another thread may have been changing them */
}

static void wipe_tally(plussi_tally *tally)
{
    if (tally->cap > SPARE_SLOTS)
        plussi_tally_free(tally);
    else if (tally->n)
        memset(tally->slot, 0, tally->cap * sizeof *tally->slot);
    tally->n = 0;
}

void plussi_collector_keep_last(plussi_collector *c)
{
    for (size_t i = 0; c->last.n_pages > SPARE_PAGES && i < c->n_first; i++) {
        const uint64_t *last = plussi_linemap_known(&c->last, c->first[i].line);
        c->first[i].last = last ? *last : 0;
    }
}

void plussi_collector_shed(plussi_collector *c)
{
    if (c->last.n_pages <= SPARE_PAGES)
        return;
    plussi_linemap_free(&c->last);
    plussi_linemap_init(&c->last, &plussi_own);
    plussi_free(&plussi_own, c->near); /* it points into the pages */
    c->near = NULL;
}

/* Clears it. */
static void wipe_collector(plussi_collector *c)
{
    plussi_collector_shed(c);
    plussi_linemap_clear(&c->last);
    for (uint32_t r = 0; r < c->n_refs; r++) {
        plussi_ref_tally *ref = &c->ref[r];
        wipe_tally(&ref->interval);
        wipe_tally(&ref->shared);
        wipe_tally(&ref->far);
        plussi_free(&plussi_own, ref->bins);
        *ref = (plussi_ref_tally){.at = UINT64_MAX,
                                  .bits = UINT64_MAX,
                                  .interval = ref->interval,
                                  .shared = ref->shared,
                                  .far = ref->far};
    }
    if (c->follow) {
        plussi_follower_wipe(c->follow);
        c->spare_follower = c->follow;
        c->follow = NULL;
    }
    if (c->cap_first > SPARE_FIRST) {
        plussi_free(&plussi_own, c->first);
        c->first = NULL;
        c->cap_first = 0;
    }
    plussi_free(&plussi_own, c->again);
    c->again = NULL;
    c->n_first = c->n_again = c->cap_again = 0;
    c->paused = 0;
    c->clock = c->lost = 0;
    c->finds = 0;
    c->shape = NULL;
}

plussi_collector *plussi_collector_take(uint32_t n_refs)
{
    plussi_collector *c = NULL, **at = &spare[n_refs % SPARE_LISTS].first;
    pthread_mutex_lock(&spare_lock);
    if (*at && (*at)->n_refs == n_refs) {
        c = *at;
        *at = c->next;
        spare[n_refs % SPARE_LISTS].n--;
    }
    pthread_mutex_unlock(&spare_lock);
    return c ? c : plussi_collector_new(n_refs);
}

void plussi_collector_give(plussi_collector *c)
{
    if (!c)
        return;
    uint32_t list = c->n_refs % SPARE_LISTS;
    bool keep = c->n_refs <= SPARE_REFS;
    if (keep)
        wipe_collector(c);
    pthread_mutex_lock(&spare_lock);
    keep = keep && spare[list].n < SPARE_OF_A_LIST;
    if (keep) {
        c->next = spare[list].first;
        spare[list].first = c;
        spare[list].n++;
    }
    pthread_mutex_unlock(&spare_lock);
    if (!keep)
        plussi_collector_free(c);
}

/* ---- the end of a process ---------------------------------------------------------------------
 *
 * A thread that changes tables sets `busy`, then tests whether it may: a store and a load, which
 * processors may swap. The thread that stops the others makes up for it by a barrier on every
 * processor (membarrier), so that they need none. */

static atomic_bool stopped;

bool plussi_collector_begin_change(plussi_collector *c)
{
    atomic_store_explicit(&c->busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(!atomic_load_explicit(&stopped, memory_order_relaxed), 1))
        return true;
    atomic_store_explicit(&c->busy, false, memory_order_release);
    return false;
}

void plussi_collector_end_change(plussi_collector *c)
{
    atomic_store_explicit(&c->busy, false, memory_order_release);
}

void plussi_collectors_stop(void)
{
    atomic_store(&stopped, true);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) != 0 ||
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* ---- accesses ---------------------------------------------------------------------------------
 *
 * Rare cases are kept out of the functions that most accesses go through, which then save no
 * registers. */
#define SELDOM __attribute__((noinline, cold))

static void list_touch(plussi_collector *c, const plussi_ref_tally *tally, uint64_t line,
                       plussi_first_touch **list, size_t *n, size_t *cap)
{
    PLUSSI_KEEP_ERRNO;
    if (!plussi_collector_begin_change(c))
        return;
    if (plussi_grow(&plussi_own, list, cap, *n, sizeof **list) == PLUSS_OK)
        (*list)[(*n)++] = (plussi_first_touch){line, c->clock, (uint32_t)(tally - c->ref), 0};
    else
        c->lost++;
    plussi_collector_end_change(c);
}

SELDOM void plussi_collect_first(plussi_collector *c, const plussi_ref_tally *tally, uint64_t line)
{
    list_touch(c, tally, line, &c->first, &c->n_first, &c->cap_first);
}

SELDOM void plussi_collect_again(plussi_collector *c, const plussi_ref_tally *tally, uint64_t line)
{
    list_touch(c, tally, line, &c->again, &c->n_again, &c->cap_again);
}

static void touch_first(plussi_collector *c, plussi_ref_tally *tally, uint64_t line)
{
    tally->first++;
    plussi_collect_first(c, tally, line);
}

/* Returns the number of counts lost for lack of memory. */
static uint64_t flush_recent(plussi_tally *to, const struct plussi_recent *from)
{
    return plussi_tally_add(to, from->interval, from->count) ? 0 : from->count;
}

/* Puts it into the slot of its low bits; another interval there moves to the tally. */
static void count_recent(plussi_collector *c, plussi_ref_tally *tally, struct plussi_recent counted)
{
    PLUSSI_KEEP_ERRNO;
    struct plussi_recent *recent = &tally->recent[counted.interval % PLUSSI_RECENT_INTERVALS];
    if (recent->interval == counted.interval) {
        recent->count += counted.count;
        return;
    }
    if (!plussi_collector_begin_change(c))
        return;
    c->lost += flush_recent(&tally->interval, recent);
    *recent = counted;
    plussi_collector_end_change(c);
}

void plussi_collect_recent(plussi_collector *c, plussi_ref_tally *tally, uint64_t interval)
{
    count_recent(c, tally, (struct plussi_recent){interval, 1});
}

/* Detects that the usual interval has changed, by how often another one occurs; one that occurs at
 * the end of each line is too rare for a lasting change. */
void plussi_collect_unusual(plussi_collector *c, plussi_ref_tally *tally, uint64_t interval)
{
    enum { PATIENCE = 16 };
    struct plussi_recent *recent = &tally->recent[interval % PLUSSI_RECENT_INTERVALS];
    bool change = !tally->usual.count;
    if (recent->interval == interval && ++tally->unusual >= PATIENCE)
        change = true;
    if (!change || !plussi_collector_begin_change(c)) {
        plussi_collect_recent(c, tally, interval);
        return;
    }
    struct plussi_recent usual = tally->usual;
    uint64_t count = recent->interval == interval ? recent->count : 0;
    if (count)
        recent->count = 0;
    tally->usual = (struct plussi_recent){interval, count + 1};
    tally->unusual = 0;
    plussi_collector_end_change(c);
    if (usual.count)
        count_recent(c, tally, usual);
}

enum { FINDS_BEFORE_NEAR = 256 };

static SELDOM uint64_t *find_clock(plussi_collector *c, uint64_t line)
{
    PLUSSI_KEEP_ERRNO;
    if (!c->near && ++c->finds > FINDS_BEFORE_NEAR)
        c->near = plussi_calloc(&plussi_own, PLUSSI_NEAR_PAGES, sizeof *c->near);
    uint64_t number = line >> PLUSSI_LINEMAP_BITS, *last = plussi_linemap_at(&c->last, line);
    if (last && c->near)
        c->near[number % PLUSSI_NEAR_PAGES] =
            (plussi_near_page){number, last - line % PLUSSI_LINEMAP_LINES};
    return last;
}

/* The clock of a line, if it is quickly found; else NULL. */
static inline uint64_t *near_clock(const plussi_collector *c, uint64_t line)
{
    uint64_t number = line >> PLUSSI_LINEMAP_BITS;
    const plussi_near_page *near = &c->near[number % PLUSSI_NEAR_PAGES];
    return c->near && near->number == number && near->value
               ? near->value + line % PLUSSI_LINEMAP_LINES
               : NULL;
}

/* One access to one line. Returns the line's clock; NULL: out of memory, and the access is lost. */
static uint64_t *touch_line(plussi_collector *c, plussi_ref_tally *tally, uint64_t line)
{
    uint64_t now = ++c->clock;
    uint64_t *last = near_clock(c, line);
    if (!last)
        last = find_clock(c, line);
    if (!last) {
        c->lost++;
        return NULL;
    }
    if (*last == 0)
        touch_first(c, tally, line);
    else
        count_recent(c, tally, (struct plussi_recent){now - *last, 1});
    *last = now;
    return last;
}

/* The rule of docs/nest-format.md: bytes 0, L, 2 L, ... and the last one. */
static SELDOM void touch_all(plussi_collector *c, plussi_ref_tally *tally, uint64_t width,
                             uint64_t address)
{
    uint64_t end = width - 1;
    for (uint64_t byte = 0; byte < end; byte += PLUSS_RT_LINE_BYTES)
        touch_line(c, tally, (address + byte) / PLUSS_RT_LINE_BYTES);
    touch_line(c, tally, (address + end) / PLUSS_RT_LINE_BYTES);
}

static void count_stay(plussi_ref_tally *tally, const pluss_rt_ref *shape, uint64_t address,
                       uint64_t *last)
{
    tally->last = last;
    tally->at = address;
    tally->bits = ~(uint64_t)(PLUSS_RT_LINE_BYTES - 1) | (shape->stride_gcd - 1u);
}

static __attribute__((noinline)) void touch_one(plussi_collector *c, plussi_ref_tally *tally,
                                                const pluss_rt_ref *shape, uint64_t address)
{
    uint64_t *last = touch_line(c, tally, address / PLUSS_RT_LINE_BYTES);
    if (last)
        count_stay(tally, shape, address, last);
}

void plussi_collect_elsewhere(plussi_collector *c, plussi_ref_tally *tally,
                              const pluss_rt_ref *shape, uint64_t address)
{
    if ((address & (shape->stride_gcd - 1u)) + shape->width > shape->stride_gcd) {
        touch_all(c, tally, shape->width, address);
        return;
    }
    uint64_t *last = near_clock(c, address / PLUSS_RT_LINE_BYTES);
    if (last && *last) {
        uint64_t now = c->clock + 1, interval = now - *last;
        struct plussi_recent *recent = &tally->recent[interval % PLUSSI_RECENT_INTERVALS];
        if (recent->interval == interval) {
            c->clock = now;
            recent->count++;
            *last = now;
            count_stay(tally, shape, address, last);
            return;
        }
    }
    touch_one(c, tally, shape, address);
}

/* Adds the pending counts of `from`; returns how many were lost for lack of memory. */
static uint64_t add_recent(plussi_tally *to, const plussi_ref_tally *from)
{
    uint64_t lost = flush_recent(to, &from->usual);
    for (unsigned i = 0; i < PLUSSI_RECENT_INTERVALS; i++)
        lost += flush_recent(to, &from->recent[i]);
    return lost;
}

void plussi_collector_flush(plussi_collector *c)
{
    for (uint32_t r = 0; r < c->n_refs; r++) {
        plussi_ref_tally *ref = &c->ref[r];
        c->lost += add_recent(&ref->interval, ref);
        ref->usual.count = 0;
        for (unsigned i = 0; i < PLUSSI_RECENT_INTERVALS; i++)
            ref->recent[i].count = 0;
    }
}

static void wait_for_change(const plussi_collector *c)
{
    while (atomic_load_explicit(&c->busy, memory_order_acquire))
        sched_yield();
}

/* The least rate of all threads, 2^-shift. */
static unsigned common_shift(plussi_collector *const *thread, uint32_t n)
{
    unsigned shift = 0;
    for (uint32_t k = 0; k < n; k++)
        if (thread[k] && thread[k]->follow && thread[k]->follow->shift > shift)
            shift = thread[k]->follow->shift;
    return shift;
}

unsigned plussi_collectors_settle_live(plussi_collector *const *thread, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (thread[k])
            wait_for_change(thread[k]);
    return common_shift(thread, n);
}

unsigned plussi_collectors_pause(plussi_collector *const *thread, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (thread[k] && thread[k]->follow)
            plussi_follower_pause(thread[k]);
    return common_shift(thread, n);
}

unsigned plussi_collectors_settle(plussi_collector *const *thread, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (thread[k] && thread[k]->follow)
            plussi_follower_settle(thread[k]);
    const unsigned shift = common_shift(thread, n);
    for (uint32_t k = 0; shift && k < n; k++)
        if (thread[k])
            plussi_follower_thin_first(thread[k], shift);
    return shift;
}

/* Counts the threads that touched each line up to the threshold; false: out of memory. */
static bool count_touchers(plussi_collector *const *thread, uint32_t n, uint64_t threshold,
                           plussi_linemap *touchers)
{
    for (uint32_t k = 0; k < n; k++)
        for (size_t i = 0; thread[k] && i < thread[k]->n_first; i++) {
            if (plussi_line_hash(thread[k]->first[i].line) > threshold)
                continue;
            uint64_t *count = plussi_linemap_at(touchers, thread[k]->first[i].line);
            if (!count)
                return false;
            ++*count;
        }
    return true;
}

void plussi_collect_shared(plussi_collector *const *thread, uint32_t n, unsigned shift)
{
    const uint64_t threshold = plussi_line_threshold(shift);
    plussi_linemap touchers;
    if (n < 2)
        return;
    plussi_linemap_init(&touchers, &plussi_own);
    bool known = count_touchers(thread, n, threshold, &touchers);
    for (uint32_t k = 0; k < n; k++)
        for (size_t i = 0; thread[k] && i < thread[k]->n_first; i++) {
            plussi_first_touch touch = thread[k]->first[i];
            if (plussi_line_hash(touch.line) > threshold)
                continue;
            uint64_t *count = known ? plussi_linemap_at(&touchers, touch.line) : NULL;
            if (!count || (*count > 1 && !plussi_tally_add(&thread[k]->ref[touch.ref].shared,
                                                           *count, (uint64_t)1 << shift)))
                thread[k]->lost++;
        }
    plussi_linemap_free(&touchers);
}

/* ---- totals ------------------------------------------------------------------------------------
 */

plussi_totals *plussi_totals_new(uint32_t n_refs)
{
    plussi_totals *t =
        plussi_calloc(&plussi_own, 1, sizeof *t + n_refs * sizeof(struct plussi_ref_totals));
    if (t)
        t->n_refs = n_refs;
    return t;
}

void plussi_totals_free(plussi_totals *t)
{
    for (uint32_t r = 0; t && r < t->n_refs; r++) {
        plussi_tally_free(&t->ref[r].interval);
        plussi_tally_free(&t->ref[r].shared);
        plussi_tally_free(&t->ref[r].far);
    }
    if (t)
        plussi_free(&plussi_own, t->groups);
    plussi_free(&plussi_own, t);
}

size_t plussi_totals_bytes(const plussi_totals *t)
{
    size_t slots = 0;
    for (uint32_t r = 0; r < t->n_refs; r++)
        slots += t->ref[r].interval.cap + t->ref[r].shared.cap + t->ref[r].far.cap;
    return sizeof *t + t->n_refs * sizeof(struct plussi_ref_totals) +
           (t->groups ? sizeof *t->groups : 0) + slots * sizeof(plussi_tally_slot);
}

static void merge_totals(plussi_totals *dst, const plussi_collector *src)
{
    for (uint32_t r = 0; r < dst->n_refs && r < src->n_refs; r++) {
        struct plussi_ref_totals *to = &dst->ref[r];
        const plussi_ref_tally *from = &src->ref[r];
        to->first += from->first;
        if (!plussi_tally_merge(&to->interval, &from->interval) ||
            !plussi_tally_merge(&to->shared, &from->shared))
            dst->lost++;
        dst->lost += add_recent(&to->interval, from);
        dst->lost += plussi_bins_add(from, &to->interval);
        to->passed += from->passed;
        to->far_first += from->far_first;
        if (!plussi_tally_merge(&to->far, &from->far))
            dst->lost++;
    }
    if (!plussi_line_groups_add(dst, src))
        dst->lost++;
}

void plussi_totals_add(plussi_totals *dst, const plussi_collector *src)
{
    dst->accesses += src->clock;
    dst->lost += src->lost;
    merge_totals(dst, src);
}

static uint64_t sum_counts(const plussi_totals *t)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < t->n_refs; r++) {
        sum += t->ref[r].first;
        for (size_t i = 0; i < t->ref[r].interval.cap; i++)
            sum += t->ref[r].interval.slot[i].count;
    }
    return sum;
}

void plussi_totals_add_live(plussi_totals *dst, const plussi_collector *src)
{
    wait_for_change(src);
    uint64_t before = sum_counts(dst);
    dst->lost += src->lost;
    merge_totals(dst, src);
    dst->accesses +=
        sum_counts(dst) - before; /* its own clock may be an access ahead of its counts */
}

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The iterations that a simulated thread executes, and the collection of its accesses.
 *
 * A planning pass runs as thread 0 of a team, executes every chunk of dynamic loops and charges its
 * cost to the simulated thread that receives it. It treats static loops that end without a barrier
 * alike, since these decide which thread is ahead afterwards; other static loops are skipped.
 */
#include "rt/walks.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "rt/own_memory.h"

/* ---- plans ----------------------------------------------------------------------------------- */

void plussi_plan_free(plussi_plan *plan)
{
    plussi_free(&plussi_own, plan->owner);
    plussi_free(&plussi_own, plan->loop);
    plussi_free(&plussi_own, plan->parallel);
    *plan = (plussi_plan){0};
}

/* Makes room for one more; false: out of memory, and the plan has failed. */
static bool make_room(plussi_plan *plan, void *ptr_to_array, size_t n, size_t *cap, size_t size)
{
    if (plan->failed)
        return false;
    plan->failed = plussi_grow(&plussi_own, ptr_to_array, cap, n, size) != PLUSS_OK;
    return !plan->failed;
}

static void plan_owner(plussi_plan *plan, uint32_t owner)
{
    if (make_room(plan, &plan->owner, plan->n_owners, &plan->cap_owners, sizeof *plan->owner))
        plan->owner[plan->n_owners++] = owner;
}

static void plan_loop(plussi_plan *plan, uint64_t trips)
{
    if (make_room(plan, &plan->loop, plan->n_loops, &plan->cap_loops, sizeof *plan->loop))
        plan->loop[plan->n_loops++] = (struct plussi_plan_loop){trips, plan->n_owners};
}

static void plan_parallel(plussi_plan *plan)
{
    if (make_room(plan, &plan->parallel, plan->n_parallels, &plan->cap_parallels,
                  sizeof *plan->parallel))
        plan->parallel[plan->n_parallels++] = plan->n_loops;
}

/* ---- a walk ---------------------------------------------------------------------------------- */

enum { MOST_SPARE = 64 };

static pluss_rt_walk *spare;
static unsigned n_spare;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

void plussi_rt_walks_forget(void)
{
    pthread_mutex_init(&spare_lock, NULL);
    spare = NULL; /* another thread may have been changing it */
    n_spare = 0;
}

static pluss_rt_walk *take_walk(void)
{
    pthread_mutex_lock(&spare_lock);
    pluss_rt_walk *w = spare;
    if (w) {
        spare = w->next;
        n_spare--;
    }
    pthread_mutex_unlock(&spare_lock);
    if (!w)
        return plussi_calloc(&plussi_own, 1, sizeof *w);
    memset(w, 0, offsetof(pluss_rt_walk, teams));
    return w;
}

static void give_walk(pluss_rt_walk *w)
{
    pthread_mutex_lock(&spare_lock);
    bool keep = n_spare < MOST_SPARE;
    if (keep) {
        w->next = spare;
        spare = w;
        n_spare++;
    }
    pthread_mutex_unlock(&spare_lock);
    if (!keep)
        plussi_free(&plussi_own, w);
}

pluss_rt_walk *plussi_rt_walk_new(const pluss_rt_region *region, uint32_t team, uint32_t thread,
                                  bool plans, double rate, size_t most, plussi_plan *plan,
                                  plussi_walk_schedule schedule)
{
    pluss_rt_walk *w = take_walk();
    if (!w)
        return NULL;
    w->shape = region->ref;
    w->team = team;
    w->thread = w->me = thread;
    w->seen = 1;
    w->plan = plan;
    w->plans = plans;
    w->schedule = schedule;
    w->threshold = rate >= 1 ? UINT64_MAX : (uint64_t)(rate * 0x1p64);
    if (!plans && most > 0)
        w->sampled = plussi_sampled_thread_new(most, w->threshold);
    w->plain = !plans && rate >= 1 && !w->sampled;
    w->collector = plussi_collector_take(region->n_refs);
    bool ok = w->collector != NULL;
    if (!w->plain) {
        w->made = plussi_calloc(&plussi_own, region->n_refs + 1u, sizeof *w->made);
        ok = ok && w->made;
    }
    if (plans) {
        w->clock = plussi_calloc(&plussi_own, PLUSSI_MAX_TEAM, sizeof *w->clock);
        ok = ok && w->clock;
    }
    if (!ok) {
        plussi_collector_give(w->collector);
        plussi_sampled_thread_free(w->sampled);
        plussi_free(&plussi_own, w->made);
        plussi_free(&plussi_own, w->clock);
        give_walk(w);
        return NULL;
    }
    return w;
}

/* Scales bin by bin, rounding so that the bins add up to floor(all * num / den). */
static void scale_tally(plussi_tally *tally, uint64_t *before, uint64_t num, uint64_t den)
{
    for (size_t i = 0; i < tally->cap; i++) {
        uint64_t count = tally->slot[i].count;
        if (!count)
            continue;
        uint64_t from = (uint64_t)((unsigned __int128)*before * num / den);
        *before += count;
        tally->slot[i].count = (uint64_t)((unsigned __int128)*before * num / den) - from;
    }
}

static uint64_t tally_total(const plussi_tally *tally)
{
    uint64_t total = 0;
    for (size_t i = 0; i < tally->cap; i++)
        total += tally->slot[i].count;
    return total;
}

static void scale_counts(plussi_collector *c, const uint64_t *made)
{
    for (uint32_t r = 0; r < c->n_refs; r++) {
        plussi_ref_tally *ref = &c->ref[r];
        uint64_t followed = ref->first + tally_total(&ref->interval);
        if (!followed) {
            c->lost += made[r];
            continue;
        }
        uint64_t before = ref->first;
        scale_tally(&ref->interval, &before, made[r], followed);
        ref->first = (uint64_t)((unsigned __int128)ref->first * made[r] / followed);
    }
}

void plussi_rt_scale_shared(plussi_collector *c)
{
    uint64_t *listed = plussi_calloc(&plussi_own, c->n_refs ? c->n_refs : 1, sizeof *listed);
    if (!listed) {
        c->lost++;
        return;
    }
    for (size_t i = 0; i < c->n_first; i++)
        listed[c->first[i].ref]++;
    for (uint32_t r = 0; r < c->n_refs; r++) {
        plussi_ref_tally *ref = &c->ref[r];
        uint64_t alone = listed[r] - tally_total(&ref->shared);
        if (ref->first != listed[r])
            scale_tally(&ref->shared, &alone, ref->first, listed[r]);
    }
    plussi_free(&plussi_own, listed);
}

plussi_collector *plussi_rt_walk_finish(pluss_rt_walk *w, plussi_sampled_thread **sampled)
{
    plussi_collector *c = w->collector;
    plussi_collector_flush(c);
    if (w->threshold != UINT64_MAX && !w->plans)
        scale_counts(c, w->made);
    *sampled = w->sampled;
    if (w->sampled) {
        w->sampled->made = w->made;
        w->sampled->n_refs = c->n_refs;
        w->made = NULL;
    }
    plussi_collector_keep_last(c);
    plussi_collector_shed(c);
    plussi_free(&plussi_own, w->made);
    plussi_free(&plussi_own, w->clock);
    give_walk(w);
    return c;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void follow_line(pluss_rt_walk *w, uint32_t ref, uint64_t line)
{
    static const pluss_rt_ref one_line = {1, 1};
    uint64_t hash = plussi_hash(line);
    w->made[ref]++;
    if (w->sampled)
        plussi_sampled_thread_add(w->sampled, w->phase, line, hash,
                                  w->collector->clock - w->phase_from, ref);
    if (hash <= w->threshold)
        plussi_collect(w->collector, ref, &one_line, line * PLUSS_RT_LINE_BYTES);
    else
        w->collector->clock++;
}

/* Lines as in plussi_collect. A separate function, so that the common case saves no registers. */
static __attribute__((noinline)) void access_lines(pluss_rt_walk *w, uint32_t ref, uint64_t address)
{
    const pluss_rt_ref *shape = &w->shape[ref];
    uint64_t end = shape->width - 1;
    bool straddles = address % shape->stride_gcd + shape->width > shape->stride_gcd;
    if (w->plans) {
        uint64_t lines = straddles ? (end + PLUSS_RT_LINE_BYTES - 1) / PLUSS_RT_LINE_BYTES + 1 : 1;
        w->collector->clock += lines;
        return;
    }
    if (straddles)
        for (uint64_t byte = 0; byte < end; byte += PLUSS_RT_LINE_BYTES)
            follow_line(w, ref, (address + byte) / PLUSS_RT_LINE_BYTES);
    follow_line(w, ref, (straddles ? address + end : address) / PLUSS_RT_LINE_BYTES);
}

void pluss_rt_walk_access(pluss_rt_walk *w, uint32_t ref, const void *address)
{
    if (__builtin_expect(w->plain, 1))
        plussi_collect(w->collector, ref, &w->shape[ref], (uint64_t)(uintptr_t)address);
    else
        access_lines(w, ref, (uint64_t)(uintptr_t)address);
}

void pluss_rt_walk_access_once(pluss_rt_walk *w, uint32_t ref, const void *address)
{
    if (w->me != 0)
        return;
    uint64_t before = w->collector->clock;
    pluss_rt_walk_access(w, ref, address);
    if (w->plans && !w->holds_chunk)
        w->clock[0] += w->collector->clock - before;
}

const void *pluss_rt_walk_own(const pluss_rt_walk *w, const void *address)
{
    uint64_t user = (uint64_t)(uintptr_t)address & ((UINT64_C(1) << 48) - 1);
    return (const void *)(uintptr_t)(user + ((uint64_t)(w->thread + 1u) << 48));
}

/* ---- teams ----------------------------------------------------------------------------------- */

/* Charges what the planning pass did since the last mark to the owner. */
static void give_chunk_up(pluss_rt_walk *w)
{
    if (w->plans && w->holds_chunk)
        w->clock[w->owner] += w->collector->clock - w->mark;
    w->holds_chunk = false;
}

/* Phases of a parallel region have its number in the upper bits; serial code comes in between. */
static void begin_phase(pluss_rt_walk *w, uint64_t key)
{
    w->phase = key;
    w->phase_from = w->collector->clock;
}

void pluss_rt_walk_barrier(pluss_rt_walk *w)
{
    if (w->depth == 1)
        begin_phase(w, w->phase + 1);
    if (!w->plans || w->depth != 1)
        return;
    for (uint32_t k = 0; k < w->teams[0].team; k++)
        w->clock[k] = 0;
}

int pluss_rt_walk_parallel(pluss_rt_walk *w, int64_t threads, int condition)
{
    uint32_t team = w->team;
    if (threads >= 1)
        team = threads < PLUSSI_MAX_TEAM ? (uint32_t)threads : PLUSSI_MAX_TEAM;
    if (!condition || w->depth > 0)
        team = 1;
    uint32_t me = w->depth == 0 ? w->thread : 0;
    if (w->depth == 0) {
        if (w->plans)
            plan_parallel(w->plan);
        else if (w->parallels < w->plan->n_parallels)
            w->meetings = w->plan->parallel[w->parallels];
        w->parallels++;
        w->phase = (uint64_t)w->parallels << 32;
        if (team > w->seen)
            w->seen = team;
    }
    if (w->depth < PLUSSI_WALK_DEPTH)
        w->teams[w->depth] = (plussi_walk_team){team, me, me < team};
    w->depth++;
    w->me = me;
    pluss_rt_walk_barrier(w);
    return me < team;
}

void pluss_rt_walk_join(pluss_rt_walk *w)
{
    w->depth--;
    if (w->depth == 0)
        begin_phase(w, ((uint64_t)w->parallels << 32) + UINT32_MAX);
    bool inside = w->depth > 0 && w->depth <= PLUSSI_WALK_DEPTH;
    w->me = inside ? w->teams[w->depth - 1].me : w->depth ? 0 : w->thread;
}

/* Teams nested deeper than are kept have one thread. */
static plussi_walk_team find_team(const pluss_rt_walk *w)
{
    if (w->depth == 0 || w->depth > PLUSSI_WALK_DEPTH)
        return (plussi_walk_team){1, 0, true};
    return w->teams[w->depth - 1];
}

int pluss_rt_walk_thread_num(const pluss_rt_walk *w)
{
    return (int)find_team(w).me;
}

int pluss_rt_walk_num_threads(const pluss_rt_walk *w)
{
    return (int)find_team(w).team;
}

int pluss_rt_walk_max_threads(const pluss_rt_walk *w)
{
    return (int)w->team;
}

/* Marks the start or end of a dynamic loop, or the thread's next chunk of it. */
static void mark_chunk(pluss_rt_walk *w, const plussi_walk_loop *l, uint64_t chunk)
{
    if (w->sampled && l->plan_holds)
        plussi_sampled_thread_mark(w->sampled, w->phase, w->collector->clock - w->phase_from,
                                   chunk);
    else if (w->sampled && l->planned && !w->plans)
        plussi_sampled_thread_unmark(w->sampled);
}

/* ---- worksharing loops ----------------------------------------------------------------------- */

uint64_t pluss_rt_walk_trips(pluss_rt_walk *w, int64_t first, int64_t last, int64_t step,
                             uint32_t relation)
{
    bool is_unsigned = relation & PLUSS_RT_WHILE_UNSIGNED;
    uint32_t how = relation & 7;
    uint64_t a = (uint64_t)first, b = (uint64_t)last;
    if (!is_unsigned) { /* maps to the order of signed numbers */
        a ^= UINT64_C(1) << 63;
        b ^= UINT64_C(1) << 63;
    }
    bool up =
        how == PLUSS_RT_WHILE_NE ? step > 0 : how == PLUSS_RT_WHILE_LT || how == PLUSS_RT_WHILE_LE;
    uint64_t stride = step < 0 ? -(uint64_t)step : (uint64_t)step;
    uint64_t distance = up ? b - a : a - b;
    w->ragged = false;
    if (how == PLUSS_RT_WHILE_NE) /* the distance is a multiple of the step, wrapped or not */
        return stride ? distance / stride : 0;
    bool closed = how == PLUSS_RT_WHILE_LE || how == PLUSS_RT_WHILE_GE;
    if ((up ? a > b : a < b) || (!closed && a == b) || stride == 0)
        return 0;
    uint64_t from_first_to_last = closed ? distance : distance - 1;
    w->ragged = from_first_to_last % stride != stride - 1;
    return from_first_to_last / stride + 1;
}

static plussi_walk_loop *innermost_loop(pluss_rt_walk *w)
{
    return w->loops > 0 && w->loops <= PLUSSI_WALK_DEPTH ? &w->loop[w->loops - 1] : NULL;
}

/* Whether the walk goes through all chunks of the loop, not only the thread's. */
static bool plans_loop(const pluss_rt_walk *w, const plussi_walk_loop *l)
{
    return w->plans && w->depth == 1 && l->dispatch.team > 1;
}

void pluss_rt_walk_loop(pluss_rt_walk *w, uint64_t trips, uint32_t schedule, int64_t chunk,
                        int nowait)
{
    bool ragged = w->ragged && !(schedule & PLUSS_RT_WALK_COLLAPSED);
    schedule &= ~(uint32_t)PLUSS_RT_WALK_COLLAPSED;
    w->loops++;
    plussi_walk_loop *l = innermost_loop(w);
    if (!l)
        return;
    if (schedule != PLUSS_RT_WALK_SECTIONS && w->schedule.given) {
        schedule = w->schedule.kind;
        chunk = w->schedule.chunk;
    } else if (schedule == PLUSS_RT_WALK_RUNTIME || schedule == PLUSS_RT_WALK_SECTIONS) {
        schedule = PLUSS_RT_WALK_DYNAMIC;
        chunk = 1;
    }
    plussi_walk_team t = find_team(w);
    *l = (plussi_walk_loop){.is_static = schedule == PLUSS_RT_WALK_STATIC,
                            .nowait = nowait,
                            .me = t.me,
                            .dispatch = {.n = trips,
                                         .chunk = chunk >= 1 ? (uint64_t)chunk : 0,
                                         .team = t.team,
                                         .guided = schedule == PLUSS_RT_WALK_GUIDED,
                                         .ragged = ragged}};
    if (!l->is_static && l->dispatch.chunk == 0)
        l->dispatch.chunk = 1;
    l->planned = !l->is_static && w->depth == 1 && t.team > 1;
    if (t.team == 1) { /* the only thread has all iterations */
        l->is_static = true;
        l->dispatch.chunk = 0;
    }
    bool own_alone = l->is_static && !plans_loop(w, l);
    l->number = own_alone ? t.me : 0;
    l->stride = own_alone ? t.team : 1;
    if (!l->planned)
        return;
    if (w->plans) {
        plan_loop(w->plan, trips);
    } else {
        size_t at = w->meetings++;
        l->plan_holds =
            !w->plan->failed && at < w->plan->n_loops && w->plan->loop[at].trips == trips;
        if (l->plan_holds)
            l->plan_first = w->plan->loop[at].first;
        mark_chunk(w, l, PLUSSI_MARK_OPEN);
    }
}

/* The next chunk, and its number; false: none. */
static bool next_chunk(plussi_walk_loop *l, uint64_t *number)
{
    const plussi_dispatch *d = &l->dispatch;
    *number = l->number;
    l->number += l->stride;
    return l->is_static ? plussi_static_chunk(d->n, d->chunk, d->team, *number, &l->left)
                        : plussi_dispatch_next(&l->dispatch, &l->left);
}

static uint32_t least_busy(const pluss_rt_walk *w, uint32_t team)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < team; k++)
        if (w->clock[k] < w->clock[best])
            best = k;
    return best;
}

/* The thread's next chunk; false: none. */
static bool find_next_chunk(pluss_rt_walk *w, plussi_walk_loop *l)
{
    uint64_t number;
    give_chunk_up(w);
    if (plans_loop(w, l) && l->is_static && !l->nowait)
        return false;
    while (next_chunk(l, &number)) {
        uint32_t in_order = (uint32_t)(number % l->dispatch.team);
        if (plans_loop(w, l)) {
            w->owner = l->planned ? least_busy(w, l->dispatch.team) : in_order;
            w->mark = w->collector->clock;
            w->holds_chunk = true;
            if (l->planned)
                plan_owner(w->plan, w->owner);
            return true;
        }
        uint32_t owner = l->plan_holds && l->plan_first + number < w->plan->n_owners
                             ? w->plan->owner[l->plan_first + number]
                             : in_order;
        if (owner == l->me) {
            mark_chunk(w, l, number);
            return true;
        }
    }
    return false;
}

uint64_t pluss_rt_walk_chunk(pluss_rt_walk *w, uint64_t base, uint64_t n)
{
    plussi_walk_loop *l = innermost_loop(w);
    if (!l)
        return 0;
    while (l->left.lo >= l->left.hi)
        if (!find_next_chunk(w, l)) {
            l->left.lo = l->left.hi = l->dispatch.n;
            return 0;
        }
    if (l->left.lo >= base + n)
        return 0;
    w->first = l->left.lo;
    uint64_t end = l->left.hi < base + n ? l->left.hi : base + n;
    uint64_t given = end - l->left.lo;
    l->left.lo = end;
    return given;
}

uint64_t pluss_rt_walk_first(const pluss_rt_walk *w)
{
    return w->first;
}

void pluss_rt_walk_loop_end(pluss_rt_walk *w)
{
    plussi_walk_loop *l = innermost_loop(w);
    give_chunk_up(w);
    if (l)
        mark_chunk(w, l, PLUSSI_MARK_CLOSE);
    if (l && !l->nowait)
        pluss_rt_walk_barrier(w);
    w->loops--;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The iterations of a worksharing loop, numbered row by row if loops are collapsed, and a thread's
 * iterations. A row is a run of iterations of the innermost collapsed loop.
 */
#include "trace/state.h"

bool plussi_walk_trips(plussi_walk *w, const plussi_bound_node *node, const int64_t *iv,
                       int64_t *lo, uint64_t *trips)
{
    const plussi_bound_loop *loop = &node->u.loop;
    bool fault = false;
    int64_t from = plussi_cexpr_eval(loop->lo, iv, &fault),
            to = plussi_cexpr_eval(loop->hi, iv, &fault);
    if (fault) {
        fault = false;
        (void)plussi_cexpr_eval(loop->lo, iv, &fault);
        plussi_walk_fault(w, node, fault ? loop->lo : loop->hi, iv);
        return false;
    }
    *lo = from;
    *trips = 0;
    if (loop->step > 0 && to > from)
        *trips = (uint64_t)(to - from - 1) / (uint64_t)loop->step + 1;
    else if (loop->step < 0 && from > to)
        *trips = (uint64_t)(from - to - 1) / (uint64_t)-loop->step + 1;
    return true;
}

static const plussi_bound_node *loop_at(const step *s, uint32_t level)
{
    const plussi_bound_node *node = s->node;
    while (level--)
        node = node->body[0];
    return node;
}

static void set_iv(walk_thread *t, const plussi_bound_node *node, const walk_level *level)
{
    t->iv[node->u.loop.slot] = level->lo + (int64_t)level->at * node->u.loop.step;
}

/* Moves the levels from `level` on to their first iteration with a row; advances the outer ones
 * past iterations without. 1: done, 0: no row is left, -1: failed. */
static int settle_levels(plussi_walk *w, walk_thread *t, const step *s, uint32_t level)
{
    for (;;) {
        for (; level < s->levels; level++) {
            walk_level *l = &t->level[level];
            const plussi_bound_node *node = loop_at(s, level);
            if (!plussi_walk_trips(w, node, t->iv, &l->lo, &l->trips))
                return -1;
            l->at = 0;
            if (l->trips == 0)
                break;
            set_iv(t, node, l);
        }
        if (level == s->levels)
            return 1;
        do {
            if (level == 0)
                return 0;
            level--;
        } while (++t->level[level].at >= t->level[level].trips);
        set_iv(t, loop_at(s, level), &t->level[level]);
        level++;
    }
}

static int next_row(plussi_walk *w, walk_thread *t, const step *s)
{
    uint32_t level = s->levels - 1;
    do {
        if (level == 0)
            return 0;
        level--;
    } while (++t->level[level].at >= t->level[level].trips);
    set_iv(t, loop_at(s, level), &t->level[level]);
    return settle_levels(w, t, s, level + 1);
}

static bool count_overflows(plussi_walk *w, const step *s)
{
    plussi_walk_fail(w, s->node, PLUSS_ERANGE, "too many iterations in the collapsed loops");
    return false;
}

/* Bounds that depend on no IV of the nest: each is evaluated once. */
static bool begin_rectangular(plussi_walk *w, walk_thread *t, const step *s, uint64_t *n)
{
    *n = 1;
    for (uint32_t i = 0; i < s->levels; i++) {
        walk_level *l = &t->level[i];
        const plussi_bound_node *node = loop_at(s, i);
        if (!plussi_walk_trips(w, node, t->iv, &l->lo, &l->trips))
            return false;
        l->at = 0;
        t->iv[node->u.loop.slot] = l->lo;
        if (plussi_mul_over(*n, l->trips, n))
            return count_overflows(w, s);
    }
    t->row_at = 0;
    return true;
}

bool plussi_rows_begin(plussi_walk *w, walk_thread *t, const step *s, uint64_t *n)
{
    if (s->rectangular)
        return begin_rectangular(w, t, s, n);
    *n = 0;
    int more = settle_levels(w, t, s, 0);
    while (more > 0) {
        if (plussi_add_over(*n, t->level[s->levels - 1].trips, n))
            return count_overflows(w, s);
        more = next_row(w, t, s);
    }
    if (more == 0)
        more = settle_levels(w, t, s, 0);
    t->row_at = 0;
    return more >= 0;
}

bool plussi_rows_seek(plussi_walk *w, walk_thread *t, const step *s, uint64_t target)
{
    if (s->rectangular) {
        uint64_t rest = target;
        for (uint32_t i = s->levels; i-- > 0;) {
            t->level[i].at = i ? rest % t->level[i].trips : rest;
            rest = i ? rest / t->level[i].trips : 0;
            set_iv(t, loop_at(s, i), &t->level[i]);
        }
        return true;
    }
    walk_level *inner = &t->level[s->levels - 1];
    if (target < t->row_at) {
        if (settle_levels(w, t, s, 0) < 0)
            return false;
        t->row_at = 0;
    }
    while (target - t->row_at >= inner->trips - inner->at) {
        t->row_at += inner->trips - inner->at;
        if (next_row(w, t, s) <= 0)
            return false;
    }
    inner->at += target - t->row_at;
    t->row_at = target;
    set_iv(t, s->inner, inner);
    return true;
}

/* ---- iteration sets
 * ------------------------------------------------------------------------------------
 */

static bool eval_chunk(plussi_walk *w, const walk_thread *t, const step *s, const plussi_cexpr *x,
                       uint64_t *out)
{
    bool fault = false;
    int64_t value = x ? plussi_cexpr_eval(x, t->iv, &fault) : 0;
    if (fault) {
        plussi_walk_fault(w, s->node, x, t->iv);
        return false;
    }
    if (x && value < 1) {
        plussi_walk_fail(w, s->node, PLUSS_ERANGE, "the schedule's chunk is less than 1");
        return false;
    }
    *out = (uint64_t)value;
    return true;
}

typedef struct steal_work {
    plussi_walk *walk;
    walk_thread *thread;
    const step *s;
} steal_work;

static double work_of(void *user, uint64_t lo, uint64_t hi)
{
    steal_work *work = user;
    return plussi_walk_work(work->walk, work->thread, work->s, lo, hi);
}

/* The stealing is drawn when the first thread reaches the loop. */
static bool steal_rows(plussi_walk *w, walk_thread *t, uint32_t at, walk_pool *pool, uint64_t n,
                       uint64_t least, uint64_t most)
{
    const step *s = &w->program.step[at];
    uint64_t key[] = {s->node->id, w->instance, w->phase, t->encounter}, seed = w->seed;
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        uint64_t state = seed ^ key[i];
        seed = plussi_splitmix64(&state);
    }
    steal_work work = {w, t, s};
    pluss_status status =
        plussi_simulate_rayon(w->ctx, n, least, most, w->team, work_of, &work, seed, &pool->sets);
    if (status) {
        plussi_walk_fail(w, NULL, status, NULL);
        return false;
    }
    pool->stolen = true;
    return w->status == PLUSS_OK && plussi_rows_begin(w, t, s, &n);
}

/* The pool's first thread counts the loop's executions. */
static bool replay_rows(plussi_walk *w, walk_thread *t, const step *s, walk_pool *pool, bool is_new,
                        uint64_t n)
{
    uint32_t loop = s->node->id;
    if (is_new)
        pool->time = w->times[loop]++;
    if (plussi_replay_iterset(w->replay, loop, pool->time, n, w->team, t->number, &t->set)) {
        plussi_walk_fail(w, s->node, PLUSS_EINVAL,
                         "the record has this loop with other iterations or more threads");
        return false;
    }
    t->count = plussi_iterset_count(&t->set);
    return true;
}

bool plussi_iterset_begin(plussi_walk *w, walk_thread *t, uint32_t at)
{
    const step *s = &w->program.step[at];
    const plussi_bound_schedule *schedule = &s->node->u.loop.schedule;
    uint64_t n, chunk, most;
    if (!plussi_rows_begin(w, t, s, &n) || !eval_chunk(w, t, s, schedule->chunk, &chunk))
        return false;
    t->next = t->end = t->position = t->count = 0;
    if (schedule->kind == PLUSSI_SCHED_STATIC) {
        t->set = plussi_iterset_static(n, chunk, w->team, t->number);
        t->count = plussi_iterset_count(&t->set);
        return true;
    }
    bool is_new;
    walk_pool *pool = plussi_pool_meet(w, t, at, &is_new);
    if (!pool || !eval_chunk(w, t, s, schedule->chunk2, &most))
        return false;
    if (schedule->kind == PLUSSI_SCHED_RECORDED)
        return replay_rows(w, t, s, pool, is_new, n);
    if (schedule->kind == PLUSSI_SCHED_RAYON) {
        if (is_new && n > 0 && !steal_rows(w, t, at, pool, n, chunk, most))
            return false;
        if (n > 0) {
            t->set = pool->sets.set[t->number];
            t->count = plussi_iterset_count(&t->set);
        }
    } else if (is_new) {
        pool->dispatch = plussi_dispatch_of_loop(&s->node->u.loop, t->iv, n, chunk, w->team);
    }
    return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rayon's indexed iterators on cores, with what waking and stealing take. Ranges are split as in
 * stealing.c; the loop is called from outside of the pool, so that both halves of the first split
 * count as stolen (rayon 1.x: join_context hands `injected` on). Of the threads one takes the loop
 * at once, and the others sleep. Whoever splits wakes one that sleeps, unless one is looking for
 * work; so does a thief, where nobody else looks. A woken thread runs on an idle core, if there is
 * one, else it waits for its turn: a time slice, of which some part is over. A thread without work
 * leaves its core to those that wait for it.
 */
#include "team/stealing_pool.h"

#include <math.h>

#include "base/variates.h"
#include "team/chunk_log.h"

plussi_pool plussi_pool_of(const plussi_progress *progress)
{
    return (plussi_pool){.wake = progress->wake,
                         .wake_spread = .4,
                         .steal = 500,
                         .piece = 120,
                         .search = 10e3,
                         .slice = 4e6,
                         .access = progress->access,
                         .sigma = .02,
                         .cores = progress->cores};
}

pluss_status plussi_pool_check(plussi_ctx *ctx, const plussi_bound *bound)
{
    for (uint32_t i = 0; i < bound->n_loops; i++) {
        const plussi_bound_node *node = bound->loop[i];
        if (node && node->u.loop.workshare && node->u.loop.schedule.kind != PLUSSI_SCHED_RAYON)
            return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &node->decl->loc,
                               "progress 'pool' is of loops with schedule(rayon) alone");
    }
    return PLUSS_OK;
}

typedef enum state { ASLEEP, SEARCHING, COMING, RUNNING, WAITING } state;

typedef struct worker {
    state state;
    uint32_t core;
    double at;    /* its next event; INFINITY: none */
    double since; /* SEARCHING */
    double left;  /* WAITING: of its piece; negative: it has none */
    size_t piece; /* in the log */
} worker;

typedef struct pool {
    plussi_chunk_log log;
    const plussi_pool *cost;
    plussi_deques deques;
    worker *worker;
    uint32_t *runner; /* of each core; team: none */
    uint32_t *coming; /* threads on their way to each core */
    uint32_t cores;
} pool;

static double draw_wake(pool *p)
{
    return p->cost->wake * exp(p->cost->wake_spread * plussi_draw_normal(&p->log.rng));
}

/* ---- cores -------------------------------------------------------------------------------------
 */

static bool is_free(const pool *p, uint32_t core)
{
    return p->runner[core] == p->log.team && p->coming[core] == 0;
}

/* That of the thread that wakes it, a free one, or any. */
static uint32_t choose_core(pool *p, uint32_t waker)
{
    uint32_t chosen = (uint32_t)plussi_rng_below(&p->log.rng, p->cores), n = 0;
    if (plussi_rng_unit(&p->log.rng) < p->cost->crowd)
        return p->worker[waker].core;
    for (uint32_t c = 0; c < p->cores; c++)
        if (is_free(p, c) && plussi_rng_below(&p->log.rng, ++n) == 0)
            chosen = c;
    return chosen;
}

/* ---- waking ------------------------------------------------------------------------------------
 */

static bool sleeps(const pool *p, const worker *w, double now)
{
    return w->state == ASLEEP || (w->state == SEARCHING && now - w->since > p->cost->search);
}

static void send(pool *p, worker *w, double at)
{
    p->coming[w->core]++;
    w->state = COMING;
    w->at = at;
}

/* A thread of `waker`'s pool is to look for work: one that is looking, else the first that sleeps.
 */
static void rouse(pool *p, uint32_t waker, double now)
{
    uint32_t sleeper = p->log.team;
    for (uint32_t t = 0; t < p->log.team; t++) {
        worker *w = &p->worker[t];
        if (w->state == SEARCHING && !sleeps(p, w, now)) {
            send(p, w, now + p->cost->steal);
            return;
        }
        if (sleeper == p->log.team && sleeps(p, w, now))
            sleeper = t;
    }
    if (sleeper == p->log.team)
        return;
    worker *w = &p->worker[sleeper];
    w->core = choose_core(p, waker);
    send(p, w, now + draw_wake(p));
}

/* ---- work --------------------------------------------------------------------------------------
 */

/* Splits a range as far as possible and begins the leftmost part at `now`. first: the whole loop.
 */
static pluss_status take_range(pool *p, uint32_t thread, plussi_range r, bool stolen, bool first,
                               double now)
{
    worker *w = &p->worker[thread];
    while (plussi_deques_split(&p->deques, thread, &r, stolen)) {
        rouse(p, thread, now);
        stolen = first;
        first = false;
    }
    w->piece = p->log.n;
    w->state = RUNNING;
    return plussi_chunk_log_run(&p->log, thread, r.at, now, &w->at);
}

/* The right half of the whole loop, which its owner, too, splits as if it were stolen. */
static bool is_half(uint64_t n, plussi_range r)
{
    return r.at.hi == n && r.at.lo == n / 2;
}

static pluss_status steal_range(pool *p, uint32_t thief, double now)
{
    plussi_range r = plussi_deques_steal(&p->deques, thief, &p->log.rng);
    rouse(p, thief, now);
    return take_range(p, thief, r, true, false, now);
}

static pluss_status look(pool *p, uint32_t thread, uint64_t n, bool was_running, double now);

/* A thread that waits for the core goes on. */
static pluss_status leave_core(pool *p, uint32_t core, uint64_t n, double now)
{
    uint32_t next = p->log.team, found = 0;
    p->runner[core] = p->log.team;
    for (uint32_t t = 0; t < p->log.team; t++)
        if (p->worker[t].state == WAITING && p->worker[t].core == core &&
            plussi_rng_below(&p->log.rng, ++found) == 0)
            next = t;
    if (next == p->log.team)
        return PLUSS_OK;
    worker *w = &p->worker[next];
    p->runner[core] = next;
    if (w->left < 0)
        return look(p, next, n, false, now);
    w->state = RUNNING;
    w->at = now + w->left;
    p->log.chunk[w->piece].end = w->at;
    return PLUSS_OK;
}

/* A thread that has its core looks for work. */
static pluss_status look(pool *p, uint32_t thread, uint64_t n, bool was_running, double now)
{
    worker *w = &p->worker[thread];
    plussi_range r;
    if (plussi_deques_take(&p->deques, thread, &r))
        return take_range(p, thread, r, is_half(n, r), false, now + p->cost->piece);
    if (p->deques.waiting > 0)
        return steal_range(p, thread, now + (was_running ? p->cost->steal : 0));
    w->state = SEARCHING;
    w->since = now;
    w->at = INFINITY;
    return leave_core(p, w->core, n, now);
}

/* The thread gets the core, whose thread waits meanwhile. */
static pluss_status begin_slice(pool *p, uint32_t thread, uint64_t n, double now)
{
    worker *w = &p->worker[thread];
    uint32_t before = p->runner[w->core];
    if (before != p->log.team) {
        worker *b = &p->worker[before];
        b->left = b->at - now;
        b->state = WAITING;
        b->at = now + p->cost->slice;
    }
    p->runner[w->core] = thread;
    if (w->left < 0)
        return look(p, thread, n, false, now);
    w->state = RUNNING;
    w->at = now + w->left;
    p->log.chunk[w->piece].end = w->at;
    return PLUSS_OK;
}

static pluss_status come(pool *p, uint32_t thread, uint64_t n, double now)
{
    worker *w = &p->worker[thread];
    p->coming[w->core]--;
    if (p->runner[w->core] == p->log.team || p->runner[w->core] == thread) {
        p->runner[w->core] = thread;
        return look(p, thread, n, false, now);
    }
    w->state = WAITING;
    w->left = -1;
    w->at = now + p->cost->slice * plussi_rng_unit(&p->log.rng);
    return PLUSS_OK;
}

/* The thread with the next event, of several at once any; team: none. */
static uint32_t next_thread(pool *p)
{
    uint32_t next = p->log.team, n = 0;
    double first = INFINITY;
    for (uint32_t t = 0; t < p->log.team; t++) {
        double at = p->worker[t].at;
        if (at > first || isinf(at))
            continue;
        n = at < first ? 1 : n + 1;
        if (at < first || plussi_rng_below(&p->log.rng, n) == 0)
            next = t;
        first = at;
    }
    return next;
}

static pluss_status run_pool(pool *p, plussi_range whole)
{
    uint32_t team = p->log.team, first = (uint32_t)plussi_rng_below(&p->log.rng, team), next;
    const uint64_t n = whole.at.hi;
    for (uint32_t t = 0; t < team; t++)
        p->worker[t].at = INFINITY;
    for (uint32_t c = 0; c < p->cores; c++)
        p->runner[c] = team;
    p->worker[first].core = (uint32_t)plussi_rng_below(&p->log.rng, p->cores);
    p->worker[first].state = RUNNING;
    p->runner[p->worker[first].core] = first;
    pluss_status status = take_range(p, first, whole, false, true, 0);
    while (!status && (next = next_thread(p)) < team) {
        worker *w = &p->worker[next];
        double now = w->at;
        if (w->state == RUNNING)
            status = look(p, next, n, true, now);
        else if (w->state == WAITING)
            status = begin_slice(p, next, n, now);
        else
            status = come(p, next, n, now);
    }
    return status;
}

pluss_status plussi_simulate_pool(plussi_ctx *ctx, const plussi_pool_loop *loop, uint32_t team,
                                  const plussi_pool *cost, plussi_work_fn work, void *user,
                                  uint64_t seed, plussi_itersets *out)
{
    pool p = {.cost = cost};
    plussi_range whole;
    pluss_status status = plussi_chunk_log_init(&p.log, ctx, team, work, user, seed);
    if (status != PLUSS_OK)
        return status;
    p.log.access = cost->access;
    p.log.sigma = cost->sigma;
    p.cores = cost->cores && cost->cores < team ? cost->cores : team;
    status = plussi_deques_new(ctx, loop, team, &p.deques, &whole);
    p.worker = plussi_calloc(&ctx->mem, team, sizeof *p.worker);
    p.runner = plussi_alloc(&ctx->mem, p.cores, sizeof *p.runner);
    p.coming = plussi_calloc(&ctx->mem, p.cores, sizeof *p.coming);
    if (status == PLUSS_OK && !(p.worker && p.runner && p.coming))
        status = PLUSS_ENOMEM;
    if (status == PLUSS_OK && loop->n > 0)
        status = run_pool(&p, whole);
    if (status == PLUSS_OK)
        status = plussi_chunk_log_sets(&p.log, loop->n, true, out);
    plussi_deques_free(ctx, &p.deques);
    plussi_free(&ctx->mem, p.worker);
    plussi_free(&ctx->mem, p.runner);
    plussi_free(&ctx->mem, p.coming);
    plussi_chunk_log_free(&p.log);
    return status;
}

/* ---- times -------------------------------------------------------------------------------------
 */

double plussi_pool_time(const plussi_itersets *sets, uint32_t thread, uint64_t pos)
{
    const plussi_iterset *set = &sets->set[thread];
    const uint64_t *accesses = sets->accesses + (set->before - sets->before);
    const size_t at = (size_t)(set->segment - sets->segment);
    size_t lo = 0, hi = set->n_segments; /* the first piece that ends after pos */
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (accesses[middle + 1] > pos)
            hi = middle;
        else
            lo = middle + 1;
    }
    if (lo == set->n_segments)
        return lo ? sets->chunk_end[at + lo - 1] : 0;
    const double begin = sets->chunk_begin[at + lo];
    return begin + (sets->chunk_end[at + lo] - begin) * (double)(pos - accesses[lo]) /
                       (double)(accesses[lo + 1] - accesses[lo]);
}

double plussi_pool_done(const plussi_itersets *sets, uint32_t thread, double time)
{
    const plussi_iterset *set = &sets->set[thread];
    const uint64_t *accesses = sets->accesses + (set->before - sets->before);
    const size_t at = (size_t)(set->segment - sets->segment);
    size_t lo = 0, hi = set->n_segments; /* the first piece that ends after the time */
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (sets->chunk_end[at + middle] > time)
            hi = middle;
        else
            lo = middle + 1;
    }
    if (lo == set->n_segments || sets->chunk_begin[at + lo] >= time)
        return (double)accesses[lo];
    const double begin = sets->chunk_begin[at + lo];
    return (double)accesses[lo] + (double)(accesses[lo + 1] - accesses[lo]) * (time - begin) /
                                      (sets->chunk_end[at + lo] - begin);
}

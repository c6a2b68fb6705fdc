/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naive_pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A call of rayon's bridge_producer_consumer that has not begun. */
typedef struct call {
    uint64_t lo, hi, splits;
    bool migrated; /* context.migrated() of the closure */
} call;

enum { NOTHING = -1 };

typedef struct thread {
    call job[NAIVE_POOL_PIECES]; /* job_b of its joins, those of the outermost join first */
    int jobs;
    int core;    /* that it runs on or is to run on; NOTHING: it sleeps or looks */
    bool runs;   /* it executes a piece, until `at` */
    bool comes;  /* it is awake at `at` */
    bool queues; /* it waits for its core */
    bool looks;  /* it has looked for work since `since` */
    double at, since;
} thread;

typedef struct world {
    const plussi_pool_loop *loop;
    const plussi_pool *cost;
    const double *work;
    const naive_pool_user *user;
    naive_pool_run *out;
    uint32_t team, cores;
    thread t[NAIVE_POOL_TEAM];
} world;

static uint32_t choose(world *w, uint32_t n)
{
    return n == 1 ? 0 : w->user->choose(w->user->user, n);
}

static bool is_taken(const world *w, int core)
{
    for (uint32_t i = 0; i < w->team; i++)
        if (w->t[i].core == core && (w->t[i].runs || w->t[i].comes))
            return true;
    return false;
}

static int choose_core(world *w)
{
    int unused[NAIVE_POOL_TEAM];
    uint32_t n = 0;
    for (uint32_t c = 0; c < w->cores; c++)
        if (!is_taken(w, (int)c))
            unused[n++] = (int)c;
    return n ? unused[choose(w, n)] : (int)choose(w, w->cores);
}

/* There is a new job: who looks for work comes after a steal's time; if nobody does, the first that
 * sleeps comes after its time to wake up. */
static void tell_of_job(world *w, double now)
{
    thread *asleep = NULL;
    for (uint32_t i = 0; i < w->team; i++) {
        thread *t = &w->t[i];
        if (t->runs || t->comes || t->queues)
            continue;
        if (t->looks && now - t->since <= w->cost->search) {
            t->comes = true;
            t->at = now + w->cost->steal;
            return;
        }
        asleep = asleep ? asleep : t;
    }
    if (!asleep)
        return;
    asleep->core = w->cost->crowd > 0 ? asleep->core : choose_core(w);
    asleep->comes = true;
    asleep->at = now + w->cost->wake * exp(w->cost->wake_spread * w->user->normal(w->user->user));
}

/* helper(len, migrated, splitter): LengthSplitter::try_split; join(helper(left), helper(right)),
 * injected: join is called from outside of the pool. */
static void helper(world *w, thread *t, call c, bool injected, double now)
{
    const uint64_t length = c.hi - c.lo, least = w->loop->least ? w->loop->least : 1;
    bool split = length / 2 >= least;
    if (split && c.migrated)
        c.splits = c.splits / 2 > w->team ? c.splits / 2 : w->team;
    else if (split && c.splits > 0)
        c.splits /= 2;
    else
        split = false;
    if (split) {
        const uint64_t middle = c.lo + length / 2;
        t->job[t->jobs++] = (call){middle, c.hi, c.splits, injected};
        tell_of_job(w, now);
        helper(w, t, (call){c.lo, middle, c.splits, injected}, false, now);
        return;
    }
    double ns = 0;
    for (uint64_t i = c.lo; i < c.hi; i++)
        ns += w->work[i] * w->cost->access;
    t->runs = true;
    t->looks = false;
    t->at = now + ns * exp(w->cost->sigma * w->user->normal(w->user->user));
    if (w->out->n >= NAIVE_POOL_PIECES)
        abort();
    w->out->piece[w->out->n++] = (naive_pool_piece){(uint32_t)(t - w->t), c.lo, c.hi, now, t->at};
}

static bool has_jobs(const world *w)
{
    for (uint32_t i = 0; i < w->team; i++)
        if (w->t[i].jobs)
            return true;
    return false;
}

/* Thread t has its core and nothing to do. */
static void find_work(world *w, thread *t, bool after_piece, double now)
{
    t->runs = has_jobs(w);
    if (t->jobs) {
        helper(w, t, t->job[--t->jobs], false, now + w->cost->piece);
    } else if (t->runs) {
        thread *victim = &w->t[choose(w, w->team)];
        while (!victim->jobs)
            victim = victim + 1 < w->t + w->team ? victim + 1 : w->t;
        call c = victim->job[0];
        memmove(victim->job, victim->job + 1, (size_t)--victim->jobs * sizeof c);
        c.migrated = true;
        now += after_piece ? w->cost->steal : 0;
        tell_of_job(w, now);
        helper(w, t, c, false, now);
    } else {
        thread *queue[NAIVE_POOL_TEAM];
        uint32_t n = 0;
        t->looks = true;
        t->since = now;
        for (uint32_t i = 0; i < w->team; i++)
            if (w->t[i].queues && w->t[i].core == t->core)
                queue[n++] = &w->t[i];
        if (!n)
            return;
        thread *next = queue[choose(w, n)];
        next->queues = false;
        find_work(w, next, false, now);
    }
}

static bool has_runner(const world *w, const thread *t)
{
    for (uint32_t i = 0; i < w->team; i++)
        if (w->t[i].runs && w->t[i].core == t->core)
            return true;
    return false;
}

void naive_pool_draw(const plussi_pool_loop *loop, uint32_t team, const plussi_pool *cost,
                     const double *work, const naive_pool_user *user, naive_pool_run *out)
{
    const uint64_t splits = loop->most ? loop->n / loop->most : 0;
    world w = {.loop = loop, .cost = cost, .work = work, .user = user, .out = out, .team = team};
    w.cores = cost->cores && cost->cores < team ? cost->cores : team;
    if (team > NAIVE_POOL_TEAM)
        abort();
    out->n = 0;
    for (uint32_t i = 0; i < team; i++)
        w.t[i].core = NOTHING;
    if (!loop->n)
        return;
    thread *first = &w.t[choose(&w, team)];
    first->core = (int)choose(&w, w.cores);
    first->runs = true;
    helper(&w, first, (call){0, loop->n, splits > team ? splits : team, false}, true, 0);
    for (;;) {
        thread *due[NAIVE_POOL_TEAM];
        uint32_t n = 0;
        for (uint32_t i = 0; i < team; i++) {
            thread *t = &w.t[i];
            if (!t->runs && !t->comes)
                continue;
            if (n && t->at < due[0]->at)
                n = 0;
            if (!n || t->at == due[0]->at)
                due[n++] = t;
        }
        if (!n)
            return;
        thread *t = due[choose(&w, n)];
        const bool ran = t->runs;
        t->runs = t->comes = false;
        if (!ran && has_runner(&w, t))
            t->queues = true;
        else
            find_work(&w, t, ran, t->at);
    }
}

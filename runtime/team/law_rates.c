/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each thread at its own rate, with skew at barriers and stalls. docs/models.md, "What real threads
 * do", gives the measurements. A Poisson process of changing rate has unit rate on the clock of its
 * expected ticks, on which the model draws. In an order, between two events (a thread starts or
 * stalls) the next access comes after an exponential time, from a thread with probability
 * proportional to its rate.
 */
#include "team/rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "team/law.h"

/* ---- draws -------------------------------------------------------------------------------------
 */

/* Box and Muller. */
static double draw_normal(plussi_rng *rng)
{
    double u = 1 - plussi_rng_unit(rng), v = plussi_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

/* Rates, skew and stalls are independent draws. */
enum { RATE = 1, SKEW, STALL };

static void seed_draw(plussi_rng *rng, uint64_t seed, uint64_t what, uint64_t number)
{
    uint64_t state = seed ^ what << 56;
    plussi_rng_seed(rng, plussi_splitmix64(&state), number);
}

void plussi_draw_rates(const plussi_progress *p, uint64_t seed, uint64_t instance, uint32_t team,
                       double *rate)
{
    plussi_rng rng;
    seed_draw(&rng, seed, RATE, instance);
    for (uint32_t k = 0; k < team; k++) {
        double own = k < p->n_rates ? p->rate[k] : 1;
        rate[k] = p->sigma > 0 ? own * exp(p->sigma * draw_normal(&rng)) : own;
    }
}

void plussi_draw_skew(const plussi_progress *p, uint64_t seed, uint64_t phase, uint32_t team,
                      double *skew)
{
    plussi_rng rng;
    for (uint32_t k = 0; k < team; k++)
        skew[k] = 0;
    if (p->skew <= 0 || team < 2)
        return;
    seed_draw(&rng, seed, SKEW, phase);
    uint32_t first = (uint32_t)plussi_rng_below(&rng, team);
    for (uint32_t k = 0; k < team; k++)
        if (k != first)
            skew[k] = p->skew * exp(p->skew_spread * draw_normal(&rng));
}

void plussi_stalls_begin(plussi_stalls *stalls, const plussi_progress *progress, uint64_t seed,
                         uint64_t phase, uint32_t k)
{
    uint64_t state = phase;
    stalls->progress = progress;
    seed_draw(&stalls->rng, seed, STALL, plussi_splitmix64(&state) ^ k);
}

void plussi_stalls_next(plussi_stalls *stalls, double *run, double *stall)
{
    const plussi_progress *p = stalls->progress;
    *run = INFINITY;
    *stall = 0;
    if (!plussi_progress_has_stalls(p))
        return;
    *run = -log1p(-plussi_rng_unit(&stalls->rng)) / p->stall_rate;
    *stall = -log1p(-plussi_rng_unit(&stalls->rng)) * p->stall;
}

bool plussi_progress_has_stalls(const plussi_progress *p)
{
    return p->stall_rate > 0 && p->stall > 0;
}

bool plussi_progress_is_steady(const plussi_progress *p)
{
    return p->skew <= 0 && !plussi_progress_has_stalls(p);
}

/* ---- the model ---------------------------------------------------------------------------------
 */

enum { MOST_STALLS = 1 << 20 /* of a thread in a phase; after these it does not stall */ };

/* Expected ticks of a thread's clock by time of a phase. */
typedef struct expected {
    plussi_timeline_thread ticks; /* after its last point the thread goes on with: */
    double rate;
    size_t room; /* points allocated */
} expected;

typedef struct model {
    expected *thread[2]; /* in the access's phase and in the source's */
    uint64_t drawn[2];   /* numbers of the phases, or regions, of these */
    double *rate, *skew; /* space for a draw */
} model;

static pluss_status new (plussi_clocks *c)
{
    model *m = c->state = plussi_arena_alloc(&c->arena, 1, sizeof *m);
    size_t n = 2 * (size_t)c->team;
    expected *all = plussi_arena_alloc(&c->arena, n, sizeof *all);
    plussi_timeline_point *point = plussi_arena_alloc(&c->arena, n, sizeof *point);
    double *draw = plussi_arena_alloc(&c->arena, n, sizeof *draw);
    if (!m || !all || !point || !draw)
        return PLUSS_ENOMEM;
    *m = (model){{all, all + c->team}, {UINT64_MAX, UINT64_MAX}, draw, draw + c->team};
    for (size_t i = 0; i < n; i++)
        all[i] = (expected){.ticks = {1, &point[i]}, .room = 1};
    return PLUSS_OK;
}

static bool make_room(plussi_clocks *c, expected *e)
{
    if (e->ticks.n + 2 <= e->room)
        return true;
    size_t room = 2 * e->room + 2;
    plussi_timeline_point *p = plussi_arena_alloc(&c->arena, room, sizeof *p);
    if (!p)
        return !(c->failed = true);
    memcpy(p, e->ticks.point, e->ticks.n * sizeof *p);
    e->ticks.point = p;
    e->room = room;
    return true;
}

/* Adds all stalls that the thread can meet; it makes `length` accesses. */
static void add_stalls(plussi_clocks *c, uint64_t phase, uint32_t k, double length, expected *e)
{
    plussi_stalls stalls;
    double running, stall;
    /* ticks vary around what is expected: adds a margin */
    double enough = length + 10 * sqrt(length) + 10;
    plussi_stalls_begin(&stalls, c->progress, c->seed, phase, k);
    for (size_t n = 0; n < MOST_STALLS; n++) {
        plussi_stalls_next(&stalls, &running, &stall);
        plussi_timeline_point last = e->ticks.point[e->ticks.n - 1];
        double done = last.done + running * e->rate;
        if (done > enough || !make_room(c, e))
            return;
        e->ticks.point[e->ticks.n++] = (plussi_timeline_point){last.time + running, done};
        e->ticks.point[e->ticks.n++] = (plussi_timeline_point){last.time + running + stall, done};
    }
}

static void begin_phase(plussi_clocks *c, int which, uint64_t phase)
{
    model *m = c->state;
    uint64_t region = c->phases.region(c->phases.user, phase);
    bool steady = plussi_progress_is_steady(c->progress);
    if (m->drawn[which] == phase || (steady && m->drawn[which] == region))
        return;
    plussi_draw_rates(c->progress, c->seed, region, c->team, m->rate);
    plussi_draw_skew(c->progress, c->seed, phase, c->team, m->skew);
    for (uint32_t k = 0; k < c->team; k++) {
        expected *e = &m->thread[which][k];
        e->rate = m->rate[k];
        e->ticks.n = 1;
        e->ticks.point[0] = (plussi_timeline_point){m->skew[k], 0};
        if (plussi_progress_has_stalls(c->progress))
            add_stalls(c, phase, k, (double)c->phases.length(c->phases.user, phase, k), e);
    }
    m->drawn[which] = steady ? region : phase;
}

/* Expected ticks of thread k by a time; the time at which that many are expected. */
static double ticks_by(const plussi_clocks *c, int which, uint32_t k, double time)
{
    const model *m = c->state;
    const expected *e = &m->thread[which][k];
    const plussi_timeline_point *last = &e->ticks.point[e->ticks.n - 1];
    if (time >= last->time)
        return last->done + (time - last->time) * e->rate;
    return plussi_timeline_done(&e->ticks, time);
}

static double time_of_ticks(const plussi_clocks *c, int which, uint32_t k, double ticks)
{
    const model *m = c->state;
    const expected *e = &m->thread[which][k];
    const plussi_timeline_point *last = &e->ticks.point[e->ticks.n - 1];
    if (ticks >= last->done)
        return last->time + (ticks - last->done) / e->rate;
    return plussi_timeline_time(&e->ticks, ticks);
}

static double time_of(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    return time_of_ticks(c, which, k, plussi_poisson_time(c, which, phase, k, pos));
}

static uint64_t count_made(plussi_clocks *c, uint64_t phase, uint32_t k, double now)
{
    return plussi_poisson_count(c, phase, k, ticks_by(c, 0, k, now));
}

static double time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y, uint64_t n,
                          double now)
{
    double ticks = ticks_by(c, 0, k, now);
    return time_of_ticks(c, 0, k, plussi_poisson_time_before(c, phase, k, y, n, ticks));
}

static uint64_t count_made_between(plussi_clocks *c, int which, uint32_t k, uint64_t from,
                                   double since, uint64_t n, double now, double time)
{
    double ticks = ticks_by(c, which, k, time), before = ticks_by(c, which, k, since);
    double all = n == UINT64_MAX ? now : ticks_by(c, which, k, now);
    ticks = ticks > before ? ticks : before; /* the clock may stop for a while */
    return plussi_poisson_between(c, which, k, from, before, n, all, ticks);
}

/* ---- the merge ---------------------------------------------------------------------------------
 */

typedef struct runner {
    double rate, skew;
    double next;  /* its next start or stall */
    double pause; /* length of that stall; < 0: it does not run yet, and starts */
    plussi_stalls stalls;
} runner;

typedef struct order {
    runner *runner;    /* by thread */
    double *draw;      /* space for a draw */
    double most, sum;  /* greatest rate of the running threads; sum of rates */
    bool steady;       /* the only changes left are threads that finish */
    double now, event; /* event: time of the next start or stall */
} order;

static pluss_status new_order(plussi_clocks *c)
{
    order *o = c->state = plussi_arena_alloc(&c->arena, 1, sizeof *o);
    if (!o)
        return PLUSS_ENOMEM;
    o->runner = plussi_arena_alloc(&c->arena, c->team, sizeof *o->runner);
    o->draw = plussi_arena_alloc(&c->arena, c->team, sizeof *o->draw);
    return o->runner && o->draw ? PLUSS_OK : PLUSS_ENOMEM;
}

/* Finds the current rates, and when they change. */
static void find_rates(plussi_clocks *c)
{
    order *o = c->state;
    o->most = o->sum = 0;
    o->event = INFINITY;
    for (uint32_t i = 0; i < c->n_running; i++) {
        const runner *r = &o->runner[c->running[i]];
        double rate = r->pause < 0 ? 0 : r->rate;
        o->sum += rate;
        o->most = rate > o->most ? rate : o->most;
        o->event = r->next < o->event ? r->next : o->event;
    }
    o->steady = o->event == INFINITY;
}

/* Starts the thread: it runs up to its next stall. */
static void let_run(const order *o, runner *r)
{
    double run;
    plussi_stalls_next(&r->stalls, &run, &r->pause);
    r->next = o->now + run;
}

static void begin_order(plussi_clocks *c, uint64_t phase)
{
    order *o = c->state;
    plussi_draw_rates(c->progress, c->seed, c->phases.region(c->phases.user, phase), c->team,
                      o->draw);
    for (uint32_t k = 0; k < c->team; k++)
        o->runner[k].rate = o->draw[k];
    plussi_draw_skew(c->progress, c->seed, phase, c->team, o->draw);
    o->now = 0;
    for (uint32_t k = 0; k < c->team; k++) {
        runner *r = &o->runner[k];
        r->next = o->draw[k];
        r->pause = -1;
        plussi_stalls_begin(&r->stalls, c->progress, c->seed, phase, k);
        if (r->next <= 0)
            let_run(o, r);
    }
    find_rates(c);
}

static void pass_event(plussi_clocks *c)
{
    order *o = c->state;
    o->now = o->event;
    for (uint32_t i = 0; i < c->n_running; i++) {
        runner *r = &o->runner[c->running[i]];
        if (r->next > o->now)
            continue;
        if (r->pause < 0) {
            let_run(o, r);
        } else {
            r->next = o->now + r->pause;
            r->pause = -1;
        }
    }
    find_rates(c);
}

static uint32_t choose_thread(plussi_clocks *c, uint64_t *run)
{
    order *o = c->state;
    *run = 1;
    while (!o->steady) {
        double wait = o->sum > 0 ? -log1p(-plussi_rng_unit(c->rng)) / o->sum : INFINITY;
        if (o->now + wait < o->event) {
            o->now += wait;
            break;
        }
        pass_event(c);
    }
    for (;;) {
        c->at = (uint32_t)plussi_rng_below(c->rng, c->n_running);
        const runner *r = &o->runner[c->running[c->at]];
        if (r->pause >= 0 && plussi_rng_unit(c->rng) * o->most < r->rate)
            return c->running[c->at];
    }
}

static void remove_thread(plussi_clocks *c)
{
    c->running[c->at] = c->running[--c->n_running];
    find_rates(c);
}

/* ---- the law -----------------------------------------------------------------------------------
 */

static const char *check_loops(const plussi_progress *p)
{
    for (size_t i = 0; i < p->n_loops; i++) {
        const plussi_loop_rates *loop = p->loop ? &p->loop[i] : NULL;
        bool good = loop && loop->rate && loop->cost;
        for (size_t k = 0; k < p->n_rates && good; k++)
            good = loop->rate[k] >= 1e-6 && loop->rate[k] <= 1e6;
        for (size_t k = 0; k < p->n_rates * PLUSSI_RATES_PIECES && good; k++)
            good = fabs(loop->cost[k]) <= 50;
        if (!good)
            return "loops must have rates between 1e-6 and 1e6, and costs between -50 and 50";
    }
    return NULL;
}

static const char *check_parameters(const plussi_progress *p)
{
    if (!(p->stall_rate >= 0 && p->stall_rate <= 1 && p->stall >= 0 && p->stall <= 1e15))
        return "stalls must begin at a rate between 0 and 1 an access, and last between 0 and 1e15";
    if (p->n_rates && !p->rate)
        return "rates are missing";
    for (size_t k = 0; k < p->n_rates; k++)
        if (!(p->rate[k] >= 1e-6 && p->rate[k] <= 1e6))
            return "rates must be between 1e-6 and 1e6";
    return check_loops(p);
}

static int write_more(const plussi_progress *p, char *out, size_t room)
{
    return snprintf(out, room, "%s%s%s", p->n_rates ? "+rates" : "",
                    plussi_progress_has_stalls(p) ? "+stalls" : "", p->n_loops ? "+loops" : "");
}

const plussi_law plussi_law_rates = {
    .name = "rates",
    .syntax = "rates[:SIGMA[:SKEW[:SPREAD]]]",
    .summary = "each thread's own rate, skew at barriers: as on real machines",
    /* defaults: as measured on machines without calibration */
    .number =
        {{.name = "SIGMA", .at = offsetof(plussi_progress, sigma), .by_default = .03, .most = 10},
         {.name = "SKEW",
          .at = offsetof(plussi_progress, skew),
          .ends = true,
          .by_default = 500,
          .most = 1e15},
         {.name = "SPREAD",
          .at = offsetof(plussi_progress, skew_spread),
          .by_default = 1,
          .most = 10}},
    .check = check_parameters,
    .write_more = write_more,
    .poisson = true,
    .drawn = true,
    .new = new,
    .begin = begin_phase,
    .time = time_of,
    .count = count_made,
    .time_before = time_before,
    .count_between = count_made_between,
    .new_order = new_order,
    .begin_order = begin_order,
    .next = choose_thread,
    .leave = remove_thread,
};

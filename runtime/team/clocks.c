/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The threads of a team under any law. For a law whose times are not drawn, a count at a time is
 * found by a search, and the order of accesses by a heap of the threads' next times.
 */
#include "base/heap.h"
#include "team/law.h"

/* ---- counts by times ---------------------------------------------------------------------------
 */

/* Number of accesses of thread k before the one that thread `own` makes at the time. */
static uint64_t count_before(plussi_clocks *c, int which, uint64_t phase, uint32_t k, double time,
                             uint32_t own)
{
    uint64_t all = c->phases.length(c->phases.user, phase, k), step = 1;
    if (all == 0)
        return 0;
    /* the first access at or after it: from a guess, in growing steps, then by bisection */
    double guess = c->law->guess ? c->law->guess(c, phase, k, time) : 0;
    uint64_t lo = 0, hi = all, at = guess < (double)all ? (uint64_t)guess : all - 1;
    while (lo < hi) {
        double t = c->law->time(c, which, phase, k, at);
        if (t < time || (t == time && k < own))
            lo = at + 1;
        else
            hi = at;
        if (lo < hi) {
            if (hi == all)
                at = hi - lo > step ? lo + step - 1 : lo + (hi - lo) / 2;
            else if (lo == 0)
                at = hi > step ? hi - step : hi / 2;
            else
                at = lo + (hi - lo) / 2;
            step *= 2;
        }
    }
    return lo;
}

uint64_t plussi_clocks_count(plussi_clocks *c, uint64_t phase, uint32_t k, double now)
{
    return c->law->timed ? count_before(c, 0, phase, k, now, c->own)
                         : c->law->count(c, phase, k, now);
}

double plussi_clocks_time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y,
                                 uint64_t n, double now)
{
    return c->law->timed ? c->law->time(c, 0, phase, k, y)
                         : c->law->time_before(c, phase, k, y, n, now);
}

uint64_t plussi_clocks_count_between(plussi_clocks *c, int which, uint64_t phase, uint32_t k,
                                     uint64_t from, double since, uint64_t n, double now,
                                     double time)
{
    if (!c->law->timed)
        return c->law->count_between(c, which, k, from, since, n, now, time);
    uint64_t done = count_before(c, which, phase, k, time, c->source);
    return done > from ? done : from;
}

void plussi_clocks_begin(plussi_clocks *c, int which, uint64_t phase)
{
    if (c->law->begin)
        c->law->begin(c, which, phase);
}

/* ---- an order by times -------------------------------------------------------------------------
 */

static bool is_due_before(const plussi_clocks *c, const uint32_t *a, const uint32_t *b)
{
    const double *due = c->due;
    return due[*a] < due[*b] || (due[*a] == due[*b] && *a < *b);
}

PLUSSI_HEAP(threads, uint32_t, plussi_clocks, is_due_before)

static void begin_heap(plussi_clocks *c, uint64_t phase)
{
    c->phase = phase;
    c->made_one = false;
    for (uint32_t k = 0; k < c->team; k++) {
        c->made[k] = 0;
        c->due[k] = c->law->time(c, 0, phase, k, 0);
    }
    threads_order(c, c->running, c->team);
}

static uint32_t next_due(plussi_clocks *c, uint64_t *run)
{
    uint32_t k = c->running[0];
    if (c->made_one) {
        c->due[k] = c->law->time(c, 0, c->phase, k, ++c->made[k]);
        threads_sink(c, c->running, c->n_running, 0);
    }
    c->made_one = true;
    *run = 1;
    return c->running[0];
}

static void leave_heap(plussi_clocks *c)
{
    c->made_one = false;
    c->running[0] = c->running[--c->n_running];
    if (c->n_running)
        threads_sink(c, c->running, c->n_running, 0);
}

static pluss_status new_heap(plussi_clocks *c)
{
    c->due = plussi_arena_alloc(&c->arena, c->team, sizeof *c->due);
    c->made = plussi_arena_alloc(&c->arena, c->team, sizeof *c->made);
    return c->due && c->made ? PLUSS_OK : PLUSS_ENOMEM;
}

/* ---- an order ----------------------------------------------------------------------------------
 */

static void leave_running(plussi_clocks *c)
{
    c->running[c->at] = c->running[--c->n_running];
}

/* A law with times may have its own order. */
static pluss_status new_order(plussi_clocks *c)
{
    const plussi_law *law = c->law;
    bool heap = !law->next;
    c->begin_order = heap ? begin_heap : law->begin_order;
    c->next = heap ? next_due : law->next;
    c->leave = heap ? leave_heap : law->leave ? law->leave : leave_running;
    pluss_status status = law->new_order ? law->new_order(c) : PLUSS_OK;
    c->running = plussi_arena_alloc(&c->arena, c->team, sizeof *c->running);
    if (!status && heap)
        status = new_heap(c);
    return status || c->running ? status : PLUSS_ENOMEM;
}

void plussi_clocks_begin_order(plussi_clocks *c, uint64_t phase)
{
    c->n_running = c->team;
    for (uint32_t k = 0; k < c->team; k++)
        c->running[k] = k;
    if (c->begin_order)
        c->begin_order(c, phase);
}

/* ---- from a law to its threads -----------------------------------------------------------------
 */

pluss_status plussi_clocks_new(plussi_ctx *ctx, plussi_clocks *c, bool order)
{
    const plussi_law *law = c->law = plussi_law_of(c->progress);
    plussi_arena_init(&c->arena, &ctx->mem);
    if (order ? !law->next && (!law->timed || law->needs_pieces) : !law->time)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           order ? "progress '%s' gives no order in which accesses can be simulated"
                                 : "the model clock does not follow progress '%s'",
                           law->name);
    if (c->timeline && c->timeline->n_phases == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "the recorded progress has no phases");
    if (order)
        return new_order(c);
    return law->new ? law->new (c) : PLUSS_OK;
}

void plussi_clocks_free(plussi_clocks *c)
{
    plussi_arena_free(&c->arena);
}

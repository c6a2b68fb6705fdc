/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More threads than cores: thread k runs on core k mod cores, whose threads take turns of q
 * accesses; a thread that waits at the phase's barrier gets no more turns. A core makes one access
 * a tick of its Poisson clock, so that its ticks give the progress of its threads.
 */
#include "base/bisect.h"
#include "base/variates.h"
#include "team/law.h"

/* The thread that has its turn on a core, and the rest of the turn. */
typedef struct core {
    uint32_t number, thread;
    uint64_t left;
} core;

typedef struct slices {
    uint64_t *length[2]; /* of the threads, by phase */
    uint64_t *ticks;     /* of each thread's core, by the time of the access */
    /* the merge */
    core *core; /* cores with threads that have accesses left */
    uint32_t n_cores;
    bool has_slice; /* core[at] goes on with another thread */
    bool *waits;    /* threads at the barrier */
} slices;

static uint64_t slice_length(const plussi_clocks *c)
{
    return (uint64_t)c->progress->accesses;
}

static uint32_t cores_of(const plussi_clocks *c)
{
    return c->progress->cores ? c->progress->cores : 1;
}

static uint64_t multiply_saturating(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- the model ---------------------------------------------------------------------------------
 */

static pluss_status new (plussi_clocks *c)
{
    slices *s = c->state = plussi_arena_alloc(&c->arena, 1, sizeof *s);
    uint64_t *room = plussi_arena_alloc(&c->arena, 3 * (size_t)c->team, sizeof *room);
    if (!s || !room)
        return PLUSS_ENOMEM;
    s->length[0] = room;
    s->length[1] = room + c->team;
    s->ticks = room + 2 * (size_t)c->team;
    return PLUSS_OK;
}

static void begin_phase(plussi_clocks *c, int which, uint64_t phase)
{
    const slices *s = c->state;
    for (uint32_t k = 0; k < c->team; k++)
        s->length[which][k] = c->phases.length(c->phases.user, phase, k);
}

/* Ticks of its core before access pos of thread k. */
static uint64_t tick_of(const plussi_clocks *c, int which, uint32_t k, uint64_t pos)
{
    const slices *s = c->state;
    uint64_t round = pos / slice_length(c), tick = pos;
    for (uint32_t j = k % cores_of(c); j < c->team; j += cores_of(c))
        if (j != k)
            tick +=
                at_most(s->length[which][j], multiply_saturating(slice_length(c), round + (j < k)));
    return tick;
}

/* Ticks of the core in its first n rounds. */
static uint64_t ticks_of_rounds(const plussi_clocks *c, int which, uint32_t number, uint64_t rounds)
{
    const slices *s = c->state;
    uint64_t ticks = 0;
    for (uint32_t j = number; j < c->team; j += cores_of(c))
        ticks += at_most(s->length[which][j], multiply_saturating(slice_length(c), rounds));
    return ticks;
}

/* Accesses of thread k in its core's first n ticks. */
static uint64_t made_by(const plussi_clocks *c, int which, uint32_t k, uint64_t ticks)
{
    const slices *s = c->state;
    uint32_t number = k % cores_of(c);
    uint64_t q = slice_length(c);
    PLUSSI_BISECT(uint64_t, next, 1, ticks / q + 1,
                  ticks_of_rounds(c, which, number, next) > ticks);
    uint64_t lo = next - 1; /* complete rounds by then */
    uint64_t left = ticks - ticks_of_rounds(c, which, number, lo),
             done = multiply_saturating(q, lo);
    for (uint32_t j = number;; j += cores_of(c)) {
        uint64_t length = s->length[which][j], before = at_most(length, done);
        uint64_t now = at_most(left, at_most(length - before, q));
        if (j == k)
            return before + now;
        left -= now;
    }
}

static double time_of(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    (void)phase;
    const slices *s = c->state;
    uint64_t tick = tick_of(c, which, k, pos);
    if (which == 0)
        s->ticks[k] = tick;
    return plussi_draw_gamma(c->rng, (double)tick + 1);
}

static uint64_t count_made(plussi_clocks *c, uint64_t phase, uint32_t k, double now)
{
    (void)phase;
    const slices *s = c->state;
    uint32_t number = k % cores_of(c);
    if (number == c->own % cores_of(c)) /* the access is a tick of this clock */
        s->ticks[k] = s->ticks[c->own];
    else if (k >= cores_of(c))
        s->ticks[k] = s->ticks[number]; /* the core's first thread has drawn them */
    else
        s->ticks[k] = plussi_draw_poisson(c->rng, now);
    return made_by(c, 0, k, s->ticks[k]);
}

static double time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y, uint64_t n,
                          double now)
{
    (void)phase, (void)n;
    const slices *s = c->state;
    uint64_t tick = tick_of(c, 0, k, y), all = s->ticks[k];
    if (tick >= all)
        return now;
    return now * plussi_draw_beta(c->rng, (double)tick + 1, (double)(all - tick));
}

/* Ticks of thread k's core by the time of the latest touch; it had made `from` accesses by `since`.
 */
static uint64_t ticks_at(plussi_clocks *c, int which, uint32_t k, uint64_t from, double since,
                         bool after, double now, double time)
{
    const slices *s = c->state;
    if (k % cores_of(c) == c->source % cores_of(c))
        return tick_of(c, which, c->source, c->source_pos) + 1;
    uint64_t tick = from ? tick_of(c, which, k, from - 1) + 1 : 0;
    if (after)
        return tick + plussi_draw_poisson(c->rng, time - since);
    uint64_t left = s->ticks[k] > tick ? s->ticks[k] - tick : 0;
    double span = now - since;
    return tick + (span > 0 ? plussi_draw_binomial(c->rng, left, (time - since) / span) : left);
}

static uint64_t count_made_between(plussi_clocks *c, int which, uint32_t k, uint64_t from,
                                   double since, uint64_t n, double now, double time)
{
    uint64_t ticks = ticks_at(c, which, k, from, since, n == UINT64_MAX, now, time);
    uint64_t done = made_by(c, which, k, ticks);
    return done < from ? from : at_most(done, n);
}

/* ---- the merge ---------------------------------------------------------------------------------
 */

static pluss_status new_order(plussi_clocks *c)
{
    slices *s = c->state = plussi_arena_alloc(&c->arena, 1, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    s->core = plussi_arena_alloc(&c->arena, at_most(c->team, cores_of(c)), sizeof *s->core);
    s->waits = plussi_arena_alloc(&c->arena, c->team, sizeof *s->waits);
    return s->core && s->waits ? PLUSS_OK : PLUSS_ENOMEM;
}

static void begin_order(plussi_clocks *c, uint64_t phase)
{
    (void)phase;
    slices *s = c->state;
    s->n_cores = (uint32_t)at_most(c->team, cores_of(c));
    s->has_slice = false;
    for (uint32_t i = 0; i < s->n_cores; i++)
        s->core[i] = (core){i, i, slice_length(c)};
    for (uint32_t k = 0; k < c->team; k++)
        s->waits[k] = false;
}

/* The core's next thread that does not wait; false: none. */
static bool next_slice(plussi_clocks *c, core *on)
{
    const slices *s = c->state;
    uint32_t first = on->thread;
    do {
        on->thread = cores_of(c) < c->team - on->thread ? on->thread + cores_of(c) : on->number;
        on->left = slice_length(c);
    } while (s->waits[on->thread] && on->thread != first);
    return !s->waits[on->thread];
}

static uint32_t choose_thread(plussi_clocks *c, uint64_t *run)
{
    slices *s = c->state;
    if (!s->has_slice) {
        c->at = s->n_cores > 1 ? (uint32_t)plussi_rng_below(c->rng, s->n_cores) : 0;
        if (s->core[c->at].left == 0)
            (void)next_slice(c, &s->core[c->at]);
    }
    s->has_slice = false;
    core *on = &s->core[c->at];
    *run = s->n_cores > 1 ? 1 : at_most(*run, on->left);
    on->left -= *run;
    return on->thread;
}

static void remove_thread(plussi_clocks *c)
{
    slices *s = c->state;
    s->waits[s->core[c->at].thread] = true;
    s->has_slice = next_slice(c, &s->core[c->at]);
    if (!s->has_slice)
        s->core[c->at] = s->core[--s->n_cores];
    if (--c->n_running == 1)
        for (uint32_t k = 0; k < c->team; k++)
            if (!s->waits[k])
                c->running[0] = k;
}

const plussi_law plussi_law_slices = {
    .name = "slices",
    .syntax = "slices[:[ACCESSES][:CORES]]",
    .summary = "more threads than cores, which they use in turn",
    .number = {{.name = "ACCESSES",
                .at = offsetof(plussi_progress, accesses),
                .by_default = 4e6,
                .least = 1,
                .most = 1e9},
               {.name = "CORES",
                .at = offsetof(plussi_progress, cores),
                .whole = true,
                .least = 1,
                .most = UINT32_MAX}},
    .jointly = true,
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bursts of geometric length, mean q, at the times of a Poisson process of rate 1/q; all accesses
 * of a burst at once. Every access but the first begins a burst with probability 1/q, so that
 * boundaries are uniformly distributed, among the accesses and between two known moments. The
 * number of bursts that a thread has begun is kept with it.
 */
#include <math.h>

#include "base/variates.h"
#include "team/law.h"

/* Bursts begun by the access; of these, those up to the touch's. The merge uses only the first. */
typedef struct bursts {
    uint64_t begun, touched;
} bursts;

static double mean_of(const plussi_clocks *c)
{
    return c->progress->accesses;
}

static bursts *of_thread(const plussi_clocks *c, uint32_t k)
{
    return (bursts *)c->state + k;
}

static pluss_status new (plussi_clocks *c)
{
    c->state = plussi_arena_alloc(&c->arena, c->team, sizeof(bursts));
    return c->state ? PLUSS_OK : PLUSS_ENOMEM;
}

/* Number of accesses in that many bursts. */
static uint64_t count_accesses(plussi_clocks *c, uint64_t n)
{
    double q = mean_of(c);
    if (n == 0 || q <= 1)
        return n;
    return n + plussi_draw_poisson(c->rng, plussi_draw_gamma(c->rng, (double)n) * (q - 1));
}

/* Time of the last of the bursts begun by then. */
static double time_of(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    (void)which, (void)phase;
    uint64_t begun = 1 + plussi_draw_binomial(c->rng, pos, 1 / mean_of(c));
    of_thread(c, k)->begun = begun;
    return mean_of(c) * plussi_draw_gamma(c->rng, (double)begun);
}

static uint64_t count_made(plussi_clocks *c, uint64_t phase, uint32_t k, double now)
{
    (void)phase;
    uint64_t begun = plussi_draw_poisson(c->rng, now / mean_of(c));
    of_thread(c, k)->begun = begun;
    return count_accesses(c, begun);
}

/* The access's own thread makes access n at `now`, in the last burst; the bursts of others are
 * earlier. */
static double time_before(plussi_clocks *c, uint64_t phase, uint32_t k, uint64_t y, uint64_t n,
                          double now)
{
    (void)phase;
    bool own = k == c->own;
    bursts *b = of_thread(c, k);
    uint64_t others = own ? n : n - 1; /* accesses that may begin a burst: all but the first */
    uint64_t begun = b->begun - 1 < others ? b->begun - 1 : others;
    b->touched = 1 + plussi_draw_marked(c->rng, others, begun, y < others ? y : others);
    if (own && b->touched == b->begun)
        return now;
    uint64_t after = b->begun - b->touched + !own;
    return now * plussi_draw_beta(c->rng, (double)b->touched, (double)after);
}

static uint64_t count_made_between(plussi_clocks *c, int which, uint32_t k, uint64_t from,
                                   double since, uint64_t n, double now, double time)
{
    (void)which;
    const bursts *b = of_thread(c, k);
    double q = mean_of(c), span = now - since;
    if (n == UINT64_MAX) {
        uint64_t at_once = 0; /* rest of the burst in which `from` ends */
        if (from && q > 1)
            at_once = (uint64_t)(plussi_draw_exponential(c->rng) / -log1p(-1 / q));
        return from + at_once + count_accesses(c, plussi_draw_poisson(c->rng, (time - since) / q));
    }
    uint64_t left = b->begun - (from ? b->touched : 0), free = left - (k == c->own && left);
    if (left == 0 || span <= 0 || n == from)
        return n;
    uint64_t begun = plussi_draw_binomial(c->rng, free, (time - since) / span);
    if (begun == left)
        return n;
    if (from == 0 && begun == 0)
        return 0;
    /* up to the next boundary */
    double before = (double)(begun + (from > 0)), after = (double)(left - begun);
    return from + (uint64_t)((double)(n - from) * plussi_draw_beta(c->rng, before, after));
}

/* Geometric on 1, 2, ... of mean q, by inversion. */
static uint64_t draw_burst(plussi_clocks *c)
{
    if (mean_of(c) <= 1)
        return 1;
    double u = 1 - plussi_rng_unit(c->rng);
    double k = 1 + floor(log(u) / log1p(-1 / mean_of(c)));
    return k < 1e18 ? (uint64_t)k : (uint64_t)1e18;
}

static void begin_order(plussi_clocks *c, uint64_t phase)
{
    (void)phase;
    of_thread(c, 0)->begun = 0; /* accesses left in the burst */
}

static uint32_t choose_thread(plussi_clocks *c, uint64_t *run)
{
    uint64_t *left = &of_thread(c, 0)->begun;
    if (*left == 0) {
        c->at = (uint32_t)plussi_rng_below(c->rng, c->n_running);
        *left = draw_burst(c);
    }
    *run = *run < *left ? *run : *left;
    *left -= *run;
    return c->running[c->at];
}

static void remove_thread(plussi_clocks *c)
{
    of_thread(c, 0)->begun = 0;
    c->running[c->at] = c->running[--c->n_running];
}

const plussi_law plussi_law_burst = {
    .name = "burst",
    .syntax = "burst:MEAN",
    .summary = "any thread, a geometric number of accesses at once",
    .number = {{.name = "MEAN",
                .at = offsetof(plussi_progress, accesses),
                .needed = true,
                .least = 1,
                .most = 1e9}},
    .new = new,
    .time = time_of,
    .count = count_made,
    .time_before = time_before,
    .count_between = count_made_between,
    .new_order = new,
    .begin_order = begin_order,
    .next = choose_thread,
    .leave = remove_thread,
};

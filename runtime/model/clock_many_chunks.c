/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dynamic loops of very many chunks of different work, by the law that their dispatch tends to:
 * threads share the work evenly and request in turn, so that chunk j goes to the thread that took
 * chunk j - T, and how far a thread is ahead of the others is a random walk, from 0 at the loop's
 * start on. Memory is bounded by the team, time does not depend on the number of chunks.
 */
#include <math.h>

#include <gsl/gsl_randist.h>

#include "model/clock_state.h"
#include "team/gslrng.h"

enum { MOMENTS = 16384, LEAST = 64 }; /* of the team, if it is small; of a thread */

/* Of iterations [a, b) that there are. */
static double work_of(const plussi_many_chunks *law, uint64_t a, uint64_t b)
{
    const uint64_t n = law->loop.n;
    a = a < n ? a : n;
    b = b < n ? b : n;
    return (double)plussi_engine_work(law->engine, law->node, law->iv, a, b);
}

static uint64_t own_work(const plussi_many_chunks *law, const plussi_iterset *set, uint64_t pos)
{
    return plussi_engine_own_work(law->engine, law->node, law->iv, set, pos);
}

/* How far the thread is ahead of the mean, in accesses, some rounds later. Where chunks grow, who
 * is first has the least and gets further ahead. Where they shrink by `shrink` from round to
 * round, who is first has the most and falls back: ranks that drift to the middle while the
 * threads diffuse have a stationary state, a logistic distribution of scale chunk / shrink, which
 * is approached here by the Ornstein-Uhlenbeck process of the same variance. */
static double walk_on(plussi_rng *rng, double from, double rounds, double chunk, double shrink,
                      double apart)
{
    gsl_rng g = plussi_gsl_rng(rng);
    if (!(shrink > 0) || !(chunk > 0))
        return from + apart + gsl_ran_gaussian(&g, sqrt(fmax(0, rounds * chunk)));
    /* half a chunk's variance is new in each round */
    const double scale = chunk / shrink, variance = scale * scale * M_PI * M_PI / 3 + chunk / 2;
    const double rate = chunk / (2 * variance), kept = exp(-rate * rounds);
    return from * kept + gsl_ran_gaussian(&g, sqrt(-variance * expm1(-2 * rate * rounds)));
}

/* A round of dispatches that threads have a moment of: the work before it, by thread, of its first
 * chunk, and how much less the next round's has. */
typedef struct round_of {
    uint64_t number;
    double mean, chunk, shrink;
} round_of;

/* n of them, and the last round, which no thread is moved on from: its number and mean. */
static void list_rounds(const plussi_many_chunks *law, uint64_t n, round_of *out)
{
    const plussi_dispatch *d = &law->loop;
    const uint64_t stride = d->team * d->chunk, rounds = (d->n - 1) / stride;
    for (uint64_t i = 0; i <= n; i++) {
        const uint64_t number = rounds * i / n, lo = number * stride;
        out[i] = (round_of){.number = number, .mean = work_of(law, 0, lo) / d->team};
        if (i == n)
            break;
        out[i].chunk = work_of(law, lo, lo + d->chunk);
        out[i].shrink = out[i].chunk - work_of(law, lo + stride, lo + stride + d->chunk);
    }
}

/* The thread's moments: of the first access of its chunk in each of these rounds, and after its
 * last access. */
static void list_moments(const plussi_many_chunks *law, uint32_t thread, uint64_t n_moments,
                         const round_of *round, const plussi_iterset *set, uint64_t after,
                         uint64_t *access, double *time)
{
    const plussi_dispatch *d = &law->loop;
    const uint64_t ahead = law->ahead ? law->ahead[thread] : 0;
    double walk = 0, apart = 0;
    uint64_t own = own_work(law, set, 0);
    plussi_rng rng;
    plussi_rng_seed(&rng, law->seed, thread + 1);
    for (uint64_t i = 0; i < n_moments; i++) {
        const round_of *now = &round[i], *next = &round[i + 1];
        /* past half a chunk another thread takes the place */
        const double into = now->chunk > 0 ? walk - now->chunk * floor(walk / now->chunk + 0.5) : 0;
        access[i] = ahead + own;
        time[i] = (double)ahead + fmax(0, now->mean - into);
        own = own_work(law, set, next->number * d->chunk);
        const double then = (double)own - next->mean;
        walk = walk_on(&rng, into, (double)(next->number - now->number), now->chunk, now->shrink,
                       apart - then);
        apart = then;
    }
    access[n_moments] = ahead + own_work(law, set, plussi_iterset_count(set)) + after;
    time[n_moments] = (double)ahead + work_of(law, 0, d->n) / d->team + (double)after;
}

/* Moments of accesses that are none are one with the moment before. */
static size_t drop_empty(size_t n, uint64_t *access, double *time)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && (access[i] <= access[kept - 1] || time[i] <= time[kept - 1]))
            continue;
        access[kept] = access[i];
        time[kept++] = time[i];
    }
    return kept;
}

pluss_status plussi_clock_many_chunks(plussi_ctx *ctx, const plussi_many_chunks *law,
                                      const uint64_t *after, plussi_itersets *sets,
                                      plussi_moments *moments)
{
    const uint32_t team = law->loop.team;
    const uint64_t each = LEAST + MOMENTS / team;
    plussi_itersets s = {.mem = ctx->mem, .team = team};
    plussi_moments m = {.mem = ctx->mem, .team = team};
    s.set = plussi_alloc(&ctx->mem, team, sizeof *s.set);
    m.first = plussi_calloc(&ctx->mem, (size_t)team + 1, sizeof *m.first);
    m.access = plussi_alloc(&ctx->mem, team * (each + 1), sizeof *m.access);
    m.time = plussi_alloc(&ctx->mem, team * (each + 1), sizeof *m.time);
    round_of *round = plussi_alloc(&ctx->mem, each + 1, sizeof *round);
    if (!s.set || !m.first || !m.access || !m.time || !round) {
        plussi_free(&ctx->mem, round);
        plussi_itersets_free(&s);
        plussi_moments_free(&m);
        return PLUSS_ENOMEM;
    }
    list_rounds(law, each, round);
    const uint32_t rotation = (uint32_t)(law->seed % team); /* of loops one after another */
    for (uint32_t t = 0; t < team; t++) {
        const size_t at = m.first[t];
        s.set[t] = plussi_iterset_static(law->loop.n, law->loop.chunk, team, (t + rotation) % team);
        list_moments(law, t, each, round, &s.set[t], after ? after[t] : 0, m.access + at,
                     m.time + at);
        m.first[t + 1] = at + drop_empty(each + 1, m.access + at, m.time + at);
    }
    plussi_free(&ctx->mem, round);
    *sets = s;
    *moments = m;
    return PLUSS_OK;
}

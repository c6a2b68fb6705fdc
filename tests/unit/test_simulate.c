/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The event simulations: what any correct outcome has to be, outcomes that are known, bad input and
 * lack of memory.
 */
#include <math.h>
#include <string.h>

#include "failing_mem.h"
#include "suite.h"
#include "team/gslrng.h"
#include "team/iterset.h"
#include "team/stealing_pool.h"

enum { MAX_N = 400, MAX_TEAM = 9, MAX_STAGES = 4 };

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}
static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}
static void must(pluss_status status)
{
    ck_assert_int_eq(status, PLUSS_OK);
}

/* A work function: `each` accesses an iteration, plus `slope` for each iteration before it. */
typedef struct amount {
    double each, slope;
} amount;

static double work_of(void *user, uint64_t lo, uint64_t hi)
{
    const amount *a = user;
    double count = (double)(hi - lo), first = (double)lo;
    return count * a->each + a->slope * (count * first + count * (count - 1) / 2);
}

/* ---- the variates ------------------------------------------------------------------------------
 */

/* Mean and variance of Gamma(a) are a; of N variates the mean is off by sqrt(a / N), the variance
 * by a sqrt((2 + 6 / a) / N), as a rule: allow five times as much. */
START_TEST(gamma_moments)
{
    enum { N = 200000 };
    const double shapes[] = {.3, 1, 2.5, 40, 1e4, 1e12};
    double a = shapes[_i], sum = 0, squares = 0;
    plussi_rng rng;
    plussi_rng_seed(&rng, 40, (uint64_t)_i);
    for (int i = 0; i < N; i++) {
        double x = plussi_gamma(&rng, a) - a;
        ck_assert(x >= -a);
        sum += x;
        squares += x * x;
    }
    ck_assert(fabs(sum / N) < 5 * sqrt(a / N));
    ck_assert(fabs(squares / N - a) < 5 * a * sqrt((2 + 6 / a) / N));
    ck_assert(plussi_gamma(&rng, 0) == 0);
}
END_TEST

/* ---- what holds for every outcome ---------------------------------------------------------------
 */

/* Each iteration in exactly one share, the bookkeeping of segments right, times ascending. */
static void check_shares(const plussi_itersets *s, uint64_t n)
{
    static unsigned char seen[MAX_N];
    uint64_t total = 0;
    size_t segments = 0;
    for (uint64_t i = 0; i < n; i++)
        seen[i] = 0;
    for (uint32_t t = 0; t < s->team; t++) {
        const plussi_iterset *set = &s->set[t];
        bool ascending = true;
        double now = 0;
        ck_assert(set->kind == PLUSSI_ITERSET_SEGMENTS && set->thread == t);
        ck_assert(set->team == s->team && set->n == n);
        ck_assert_ptr_eq(set->segment, s->segment + segments);
        ck_assert_uint_eq(set->before[0], 0);
        for (size_t k = 0; k < set->n_segments; k++) {
            plussi_segment part = set->segment[k];
            ck_assert(part.lo < part.hi && part.hi <= n);
            ck_assert_uint_eq(set->before[k + 1], set->before[k] + part.hi - part.lo);
            for (uint64_t i = part.lo; i < part.hi; i++)
                ck_assert_int_eq(seen[i]++, 0);
            ascending = ascending && (k == 0 || set->segment[k - 1].hi <= part.lo);
            if (!s->chunk_end)
                continue;
            ck_assert(s->chunk_end[segments + k] >= now);
            now = s->chunk_end[segments + k];
        }
        ck_assert_int_eq(set->ascending, ascending);
        segments += set->n_segments;
        total += plussi_iterset_count(set);
    }
    ck_assert_uint_eq(segments, s->n_segments);
    ck_assert_uint_eq(total, n);
}

/* The moment of a thread's access; it is one of those that are told. */
static double moment_of(const plussi_moments *m, uint32_t thread, uint64_t access)
{
    for (size_t i = m->first[thread]; i < m->first[thread + 1]; i++)
        if (m->access[i] == access)
            return m->time[i];
    ck_abort_msg("access %llu of thread %u has no moment", (unsigned long long)access, thread);
    return 0;
}

typedef struct stages {
    amount a[MAX_STAGES];
    uint64_t ahead[MAX_STAGES + 1][MAX_TEAM];
    plussi_stage stage[MAX_STAGES];
    size_t n;
    plussi_itersets sets[MAX_STAGES];
    plussi_moments moments;
} stages;

static void draw_stages(stages *x, plussi_rng *rng, size_t n, uint32_t team)
{
    x->n = n;
    for (size_t i = 0; i <= n; i++)
        for (uint32_t t = 0; t < team; t++)
            x->ahead[i][t] = plussi_rng_below(rng, 2) ? plussi_rng_below(rng, 60) : 0;
    for (size_t i = 0; i < n; i++) {
        x->a[i] = (amount){(double)plussi_rng_below(rng, 8), (double)plussi_rng_below(rng, 2)};
        bool guided = plussi_rng_below(rng, 2);
        plussi_dispatch loop = {plussi_rng_below(rng, 4) ? plussi_rng_below(rng, MAX_N) : 0,
                                0,
                                1 + plussi_rng_below(rng, 9),
                                team,
                                guided,
                                plussi_rng_below(rng, 2)};
        x->stage[i] =
            (plussi_stage){loop, work_of, &x->a[i], plussi_rng_below(rng, 4) ? x->ahead[i] : NULL};
    }
}

static void simulate(stages *x, uint64_t seed)
{
    must(
        plussi_simulate_dispatch(&ctx, x->stage, x->n, x->ahead[x->n], seed, x->sets, &x->moments));
}

static void free_stages(stages *x)
{
    for (size_t i = 0; i < x->n; i++)
        plussi_itersets_free(&x->sets[i]);
    plussi_moments_free(&x->moments);
}

/* Each stage's chunks are those of the dispatcher, and whoever's next access came first has
 * dispatched: the moments of their first accesses ascend. */
static void check_order(const stages *x, size_t stage, uint64_t made[MAX_TEAM])
{
    const plussi_itersets *s = &x->sets[stage];
    plussi_dispatch loop = x->stage[stage].loop;
    size_t at[MAX_TEAM] = {0};
    plussi_segment chunk;
    double last = 0;
    for (uint32_t t = 0; t < s->team; t++)
        made[t] += x->stage[stage].ahead ? x->stage[stage].ahead[t] : 0;
    while (plussi_dispatch_next(&loop, &chunk)) {
        uint32_t t = 0;
        while (t < s->team &&
               !(at[t] < s->set[t].n_segments && s->set[t].segment[at[t]].lo == chunk.lo))
            t++;
        ck_assert_uint_lt(t, s->team);
        ck_assert_uint_eq(s->set[t].segment[at[t]].hi, chunk.hi);
        uint64_t work = (uint64_t)work_of(x->stage[stage].user, chunk.lo, chunk.hi);
        if (work > 0) {
            double now = moment_of(&x->moments, t, made[t]);
            ck_assert(now >= last);
            last = now;
            made[t] += work;
            (void)moment_of(&x->moments, t, made[t]); /* what comes next has one too */
        }
        at[t]++;
    }
}

START_TEST(any_phase)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 41, 0);
    for (uint64_t round = 0; round < 600; round++) {
        stages x;
        uint64_t made[MAX_TEAM] = {0};
        uint32_t team = 1 + (uint32_t)plussi_rng_below(&rng, MAX_TEAM);
        draw_stages(&x, &rng, 1 + plussi_rng_below(&rng, MAX_STAGES), team);
        simulate(&x, round);
        for (size_t i = 0; i < x.n; i++) {
            check_shares(&x.sets[i], x.stage[i].loop.n);
            check_order(&x, i, made);
            for (uint32_t t = 0; t < team; t++)
                ck_assert(x.sets[i].set[t].ascending);
            ck_assert_uint_eq(x.stage[i].loop.next, 0); /* the caller's dispatcher is left alone */
        }
        const plussi_moments *m = &x.moments;
        for (uint32_t t = 0; t < team; t++) {
            ck_assert_uint_lt(m->first[t], m->first[t + 1]);
            for (size_t i = m->first[t] + 1; i < m->first[t + 1]; i++)
                ck_assert(m->access[i] > m->access[i - 1] && m->time[i] >= m->time[i - 1]);
            ck_assert_uint_eq(m->access[m->first[t + 1] - 1], made[t] + x.ahead[x.n][t]);
        }
        free_stages(&x);
    }
}
END_TEST

/* ---- the law -----------------------------------------------------------------------------------
 *
 * Uniform interleaving itself, access by access: each next one by any thread that has some left,
 * chunks being dispatched with the access that needs them. */
typedef struct doer {
    size_t stage;
    bool arrived;
    uint64_t left; /* accesses before something has to be dispatched */
} doer;

/* What thread t does at its next access; false: it has none. who: of each iteration. */
static bool next_access(const stages *x, doer *d, uint32_t t, plussi_dispatch *loop,
                        uint8_t who[][MAX_N])
{
    plussi_segment chunk;
    while (d->left == 0) {
        if (!d->arrived) {
            d->arrived = true;
            const uint64_t *ahead = d->stage < x->n ? x->stage[d->stage].ahead : x->ahead[x->n];
            d->left = ahead ? ahead[t] : 0;
        } else if (d->stage == x->n) {
            return false;
        } else if (plussi_dispatch_next(&loop[d->stage], &chunk)) {
            d->left = (uint64_t)work_of(x->stage[d->stage].user, chunk.lo, chunk.hi);
            for (uint64_t i = chunk.lo; i < chunk.hi; i++)
                who[d->stage][i] = (uint8_t)t;
        } else {
            d->stage++;
            d->arrived = false;
        }
    }
    d->left--;
    return true;
}

/* Of each stage, in one run: iterations of thread 0, and how many are executed by him who executes
 * the one `lag` before. Sums over the runs, and of the squares. */
enum { LAGS = 6, NUMBERS = 1 + LAGS };
typedef struct law {
    double sum[MAX_STAGES][NUMBERS], square[MAX_STAGES][NUMBERS];
} law;

static void add_law(law *l, const stages *x, uint8_t who[][MAX_N])
{
    for (size_t s = 0; s < x->n; s++)
        for (uint64_t lag = 0; lag < NUMBERS; lag++) {
            double count = 0;
            for (uint64_t i = 0; i + lag < x->stage[s].loop.n; i++)
                count += lag ? who[s][i] == who[s][i + lag] : who[s][i] == 0;
            l->sum[s][lag] += count;
            l->square[s][lag] += count * count;
        }
}

static void walk_phase(const stages *x, uint32_t team, plussi_rng *rng, uint8_t who[][MAX_N])
{
    doer d[MAX_TEAM] = {{0}};
    plussi_dispatch loop[MAX_STAGES];
    uint32_t alive[MAX_TEAM], n = team;
    for (size_t s = 0; s < x->n; s++)
        loop[s] = x->stage[s].loop;
    for (uint32_t t = 0; t < team; t++)
        alive[t] = t;
    while (n > 0) {
        uint64_t i = plussi_rng_below(rng, n);
        if (!next_access(x, &d[alive[i]], alive[i], loop, who))
            alive[i] = alive[--n];
    }
}

/* The same numbers from the simulation, within 4.5 standard errors of the difference, by the
 * variance of both. */
START_TEST(as_uniform_interleaving)
{
    enum { RUNS = 3000 };
    static uint8_t who[MAX_STAGES][MAX_N];
    plussi_rng rng;
    plussi_rng_seed(&rng, 43, (uint64_t)_i);
    uint32_t team = 2 + (uint32_t)plussi_rng_below(&rng, MAX_TEAM - 1);
    stages x;
    law model, truth;
    memset(&model, 0, sizeof model);
    memset(&truth, 0, sizeof truth);
    draw_stages(&x, &rng, 1 + plussi_rng_below(&rng, MAX_STAGES), team);
    for (size_t s = 0; s < x.n; s++) { /* small ones tell most, and take no time */
        x.stage[s].loop.n %= 40;
        x.a[s].slope = 0;
    }
    for (uint64_t r = 0; r < RUNS; r++) {
        walk_phase(&x, team, &rng, who);
        add_law(&truth, &x, who);
        simulate(&x, r);
        for (size_t s = 0; s < x.n; s++)
            for (uint32_t t = 0; t < team; t++)
                for (size_t k = 0; k < x.sets[s].set[t].n_segments; k++) {
                    plussi_segment part = x.sets[s].set[t].segment[k];
                    for (uint64_t i = part.lo; i < part.hi; i++)
                        who[s][i] = (uint8_t)t;
                }
        add_law(&model, &x, who);
        free_stages(&x);
    }
    for (size_t s = 0; s < x.n; s++)
        for (int k = 0; k < NUMBERS; k++) {
            double a = model.sum[s][k], b = truth.sum[s][k];
            double variance = model.square[s][k] - a * a / RUNS + truth.square[s][k] - b * b / RUNS;
            ck_assert_msg(fabs(a - b) <= 4.5 * sqrt(fmax(variance, 0)) + 1e-6,
                          "stage %zu of %zu, lag %d: %g, not %g", s, x.n, k, a, b);
        }
}
END_TEST

/* ---- known outcomes ----------------------------------------------------------------------------
 */

/* Much work a chunk: Gamma(1e12) is 1e12 to a millionth. A thread that comes 10e12 late. */
START_TEST(late_threads_get_less)
{
    const uint64_t ahead[] = {0, UINT64_C(10000000000000)};
    amount a = {1e12, 0};
    plussi_stage stage = {{30, 0, 1, 2, false, false}, work_of, &a, ahead};
    plussi_itersets s;
    plussi_moments m;
    must(plussi_simulate_dispatch(&ctx, &stage, 1, NULL, 1, &s, &m));
    ck_assert(fabs((double)plussi_iterset_count(&s.set[0]) - 20) <= 1);
    plussi_itersets_free(&s);
    plussi_moments_free(&m);
}
END_TEST

/* The loop behind another one: thread 0 is held up in the first by its one long chunk. */
START_TEST(nobody_waits)
{
    amount first = {1e12, 0}, second = {1e11, 0};
    plussi_stage stage[] = {{{1, 0, 1, 2, false, false}, work_of, &first, NULL},
                            {{30, 0, 1, 2, false, false}, work_of, &second, NULL}};
    for (uint64_t seed = 0; seed < 20; seed++) {
        plussi_itersets s[2];
        plussi_moments m;
        must(plussi_simulate_dispatch(&ctx, stage, 2, NULL, seed, s, &m));
        uint32_t held = s[0].set[0].n_segments ? 0 : 1; /* for 10 of the other's chunks */
        ck_assert(fabs((double)plussi_iterset_count(&s[1].set[held]) - 10) <= 1);
        plussi_itersets_free(&s[0]);
        plussi_itersets_free(&s[1]);
        plussi_moments_free(&m);
    }
}
END_TEST

START_TEST(one_seed_one_outcome)
{
    amount a = {5, 0};
    plussi_stage stage = {{200, 0, 2, 4, false, false}, work_of, &a, NULL};
    plussi_itersets s, again, other;
    plussi_moments m[3];
    must(plussi_simulate_dispatch(&ctx, &stage, 1, NULL, 7, &s, &m[0]));
    must(plussi_simulate_dispatch(&ctx, &stage, 1, NULL, 7, &again, &m[1]));
    must(plussi_simulate_dispatch(&ctx, &stage, 1, NULL, 8, &other, &m[2]));
    bool differs = false;
    for (size_t i = 0; i < s.n_segments; i++) {
        ck_assert_uint_eq(s.segment[i].lo, again.segment[i].lo);
        differs = differs || s.segment[i].lo != other.segment[i].lo;
    }
    ck_assert(differs);
    plussi_itersets_free(&s);
    plussi_itersets_free(&again);
    plussi_itersets_free(&other);
    for (int i = 0; i < 3; i++)
        plussi_moments_free(&m[i]);
}
END_TEST

/* Rayon's first worker: of 9000 loops each of three is it 3000 times, give or take
 * sqrt(9000 * 2 / 9) = 45; allow five times that. */
START_TEST(ties_are_drawn)
{
    unsigned root[3] = {0};
    amount a = {1, 0};
    for (uint64_t seed = 0; seed < 9000; seed++) {
        plussi_itersets s;
        uint64_t pos;
        must(plussi_simulate_rayon(&ctx, 3, 0, 0, 3, work_of, &a, seed, &s));
        for (uint32_t t = 0; t < 3; t++)
            root[t] += plussi_iterset_position(&s.set[t], 0, &pos);
        plussi_itersets_free(&s);
    }
    for (int t = 0; t < 3; t++)
        ck_assert(fabs(root[t] - 3000.) < 225);
}
END_TEST

START_TEST(loops_without_work)
{
    amount a = {0, 0};
    plussi_itersets s;
    plussi_moments m;
    for (uint64_t n = 0; n <= 50; n += 50) { /* iterations without accesses take no time */
        plussi_stage stage = {{n, 0, 1, 3, true, false}, work_of, &a, NULL};
        must(plussi_simulate_dispatch(&ctx, &stage, 1, NULL, 1, &s, &m));
        check_shares(&s, n);
        for (uint32_t t = 0; t < 3; t++)
            ck_assert(m.first[t] == t && m.access[t] == 0);
        plussi_itersets_free(&s);
        plussi_moments_free(&m);
    }
}
END_TEST

/* ---- Rayon -------------------------------------------------------------------------------------
 */

START_TEST(rayon_any_range)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 42, 0);
    for (uint64_t round = 0; round < 600; round++) {
        uint64_t n = plussi_rng_below(&rng, MAX_N), least = plussi_rng_below(&rng, 12);
        uint64_t most = plussi_rng_below(&rng, 3) ? 0 : least + plussi_rng_below(&rng, 40);
        uint32_t team = 1 + (uint32_t)plussi_rng_below(&rng, MAX_TEAM);
        amount a = {10, 0};
        plussi_itersets s;
        must(plussi_simulate_rayon(&ctx, n, least, most, team, work_of, &a, round, &s));
        check_shares(&s, n);
        /* A half has `least` iterations at least; `most` gives way to it, as in Rayon. */
        double longest = 0, last = 0, busy = 0;
        for (size_t i = 0; i < s.n_segments; i++) {
            uint64_t length = s.segment[i].hi - s.segment[i].lo;
            ck_assert(length >= least || n == length);
            if (most && most >= 2 * least)
                ck_assert_uint_le(length, most);
            last = fmax(last, s.chunk_end[i]);
        }
        /* Nobody idles while a range waits: done at most one piece after the average. */
        for (uint32_t t = 0; t < team; t++) {
            double now = 0;
            for (size_t k = 0; k < s.set[t].n_segments; k++) {
                double end = s.chunk_end[(size_t)(s.set[t].segment - s.segment) + k];
                longest = fmax(longest, end - now);
                now = end;
            }
            busy += now;
        }
        ck_assert(last <= busy / team + longest + 1e-9);
        plussi_itersets_free(&s);
    }
}
END_TEST

static void check_alone(uint64_t n, uint64_t least, uint64_t most, size_t n_bounds,
                        const uint64_t *bounds)
{
    amount a = {1, 0};
    plussi_itersets s;
    must(plussi_simulate_rayon(&ctx, n, least, most, 1, work_of, &a, 1, &s));
    ck_assert_uint_eq(s.n_segments, n_bounds - 1);
    for (size_t i = 0; i + 1 < n_bounds; i++)
        ck_assert(s.segment[i].lo == bounds[i] && s.segment[i].hi == bounds[i + 1]);
    plussi_itersets_free(&s);
}

/* One thread, no steals: a budget of 1 (or n / most) splits, halved at each, worked out by hand. */
START_TEST(rayon_alone)
{
    check_alone(10, 0, 0, 3, (const uint64_t[]){0, 5, 10});
    check_alone(10, 6, 0, 2, (const uint64_t[]){0, 10});
    check_alone(10, 5, 0, 3, (const uint64_t[]){0, 5, 10});
    check_alone(10, 0, 3, 5, (const uint64_t[]){0, 2, 5, 7, 10});
    check_alone(11, 0, 3, 5, (const uint64_t[]){0, 2, 5, 8, 11});
    check_alone(1, 0, 1, 2, (const uint64_t[]){0, 1});
    check_alone(3, 0, 1, 4, (const uint64_t[]){0, 1, 2, 3});
}
END_TEST

/* Two threads start together; the worker halves [0, 8) with a budget of 2, 1, 0; the thief takes
 * [4, 8), the largest, gets a fresh budget of 2 and halves it down to single iterations. */
START_TEST(rayon_with_a_thief)
{
    amount a = {1e12, 0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        plussi_itersets s;
        must(plussi_simulate_rayon(&ctx, 8, 0, 0, 2, work_of, &a, seed, &s));
        uint32_t thief = s.set[0].segment[0].lo == 4 ? 0 : 1;
        const plussi_iterset *worker = &s.set[1 - thief];
        ck_assert(s.set[thief].segment[0].lo == 4 && s.set[thief].segment[0].hi == 5);
        ck_assert(worker->segment[0].lo == 0 && worker->segment[0].hi == 2);
        plussi_itersets_free(&s);
    }
}
END_TEST

START_TEST(rayon_of_a_huge_range)
{
    amount a = {1, 0};
    plussi_itersets s;
    must(plussi_simulate_rayon(&ctx, UINT64_MAX, 0, 0, 4, work_of, &a, 1, &s));
    uint64_t total = 0;
    for (uint32_t t = 0; t < 4; t++)
        total += plussi_iterset_count(&s.set[t]);
    ck_assert_uint_eq(total, UINT64_MAX);
    plussi_itersets_free(&s);
}
END_TEST

/* ---- a pool with costs -------------------------------------------------------------------------
 */

/* Chunks of single iterations of 1000 ns, thread by thread, at these times. */
static void check_pool(const plussi_pool *cost, uint64_t n, const double *begin, const size_t *own,
                       const uint64_t *first)
{
    const plussi_pool_loop loop = {.n = n};
    amount a = {1000, 0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        plussi_itersets s;
        must(plussi_simulate_pool(&ctx, &loop, 2, cost, work_of, &a, seed, &s));
        uint64_t pos;
        uint32_t root = plussi_iterset_position(&s.set[1], 0, &pos);
        ck_assert_uint_eq(s.n_segments, n);
        for (size_t i = 0, k = 0; k < 2; k++) {
            const plussi_iterset *set = &s.set[k ? 1 - root : root];
            size_t at = (size_t)(set->segment - s.segment);
            ck_assert_uint_eq(set->n_segments, own[k]);
            for (size_t j = 0; j < own[k]; i++, j++) {
                ck_assert_uint_eq(set->segment[j].lo, first[i]);
                ck_assert_double_eq_tol(s.chunk_begin[at + j], begin[i], 1e-6);
                ck_assert_double_eq_tol(s.chunk_end[at + j], begin[i] + 1000, 1e-6);
            }
        }
        plussi_itersets_free(&s);
    }
}

/* Worked out by hand. [0, 8) is halved with a budget of 2 to [0, 4), whose first split counts as
 * one of a stolen range: 2 again, so that [0, 1) is executed first. The thief is awake after 500
 * ns, takes [4, 8), the largest, and has a budget of 2, too. */
START_TEST(pool_with_a_late_thief)
{
    const plussi_pool cost = {.wake = 500, .access = 1, .search = 1e9, .slice = 1e9};
    check_pool(&cost, 8, (const double[]){0, 1000, 2000, 3000, 500, 1500, 2500, 3500},
               (const size_t[]){4, 4}, (const uint64_t[]){0, 1, 2, 3, 4, 5, 6, 7});
}
END_TEST

/* The thief is awake at 1500 ns, 100 ns pass between pieces of a thread, 300 before a stolen one:
 * [4, 8) is the thief's from 1500 on, and from [3, 4) on nothing is left to steal. */
START_TEST(pool_with_costs)
{
    const plussi_pool cost = {
        .wake = 1500, .access = 1, .search = 1e9, .slice = 1e9, .piece = 100, .steal = 300};
    check_pool(&cost, 8, (const double[]){0, 1100, 2200, 3300, 4600, 1500, 2600, 3700},
               (const size_t[]){5, 3}, (const uint64_t[]){0, 1, 2, 3, 7, 4, 5, 6});
}
END_TEST

/* It wakes too late, or has to wait for the only core. */
START_TEST(pool_of_one_thread)
{
    const double begin[] = {0, 1000, 2000, 3000};
    const uint64_t first[] = {0, 1, 2, 3};
    const plussi_pool late = {.wake = 1e6, .access = 1, .search = 1e9, .slice = 1e9};
    check_pool(&late, 4, begin, (const size_t[]){4, 0}, first);
    const plussi_pool busy = {.wake = 10, .access = 1, .search = 1e9, .slice = 1e12, .cores = 1};
    check_pool(&busy, 4, begin, (const size_t[]){4, 0}, first);
    const plussi_pool crowded = {
        .wake = 10, .access = 1, .search = 1e9, .slice = 1e12, .crowd = 1, .cores = 2};
    check_pool(&crowded, 4, begin, (const size_t[]){4, 0}, first);
}
END_TEST

START_TEST(pool_any_range)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 43, 0);
    for (uint64_t round = 0; round < 400; round++) {
        plussi_pool_loop loop = {.n = plussi_rng_below(&rng, MAX_N),
                                 .least = plussi_rng_below(&rng, 12)};
        loop.most = plussi_rng_below(&rng, 3) ? 0 : loop.least + plussi_rng_below(&rng, 40);
        uint32_t team = 1 + (uint32_t)plussi_rng_below(&rng, MAX_TEAM);
        plussi_pool cost = {.wake = 30,
                            .wake_spread = 1,
                            .steal = 3,
                            .piece = 1,
                            .search = 20,
                            .crowd = .5,
                            .slice = 50,
                            .access = 1,
                            .sigma = .1,
                            .cores = (uint32_t)plussi_rng_below(&rng, 4)};
        amount a = {10, 0};
        plussi_itersets s;
        must(plussi_simulate_pool(&ctx, &loop, team, &cost, work_of, &a, round, &s));
        check_shares(&s, loop.n);
        for (uint32_t t = 0; t < team; t++) {
            size_t at = (size_t)(s.set[t].segment - s.segment);
            for (size_t k = 0; k < s.set[t].n_segments; k++) {
                uint64_t length = s.segment[at + k].hi - s.segment[at + k].lo;
                ck_assert(length >= loop.least || loop.n == length);
                ck_assert(s.chunk_begin[at + k] < s.chunk_end[at + k]);
                ck_assert(k == 0 || s.chunk_begin[at + k] >= s.chunk_end[at + k - 1]);
            }
        }
        plussi_itersets_free(&s);
    }
}
END_TEST

/* ---- errors ------------------------------------------------------------------------------------
 */

/* An error with its reason. */
static void refused(pluss_status status)
{
    ck_assert_int_eq(status, PLUSS_EINVAL);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_int_eq(ctx.diags[0].status, PLUSS_EINVAL);
    plussi_ctx_clear(&ctx);
}

START_TEST(bad_arguments)
{
    const double bad[] = {-1, NAN, INFINITY};
    amount a = {1, 0}, wrong;
    const plussi_stage good = {{10, 0, 1, 2, false, false}, work_of, &a, NULL};
    plussi_stage stage = good, two[] = {good, good};
    plussi_itersets s[2] = {{.team = 99}, {.team = 99}};
    plussi_moments m = {.team = 99};
    stage.loop.chunk = 0;
    refused(plussi_simulate_dispatch(&ctx, &stage, 1, NULL, 1, s, &m));
    stage = good;
    stage.loop.team = 0;
    refused(plussi_simulate_dispatch(&ctx, &stage, 1, NULL, 1, s, &m));
    two[1].loop.team = 3;
    refused(plussi_simulate_dispatch(&ctx, two, 2, NULL, 1, s, &m));
    refused(plussi_simulate_rayon(&ctx, 10, 0, 0, 0, work_of, &a, 1, s));
    for (int i = 0; i < 3; i++) {
        wrong = (amount){bad[i], 0};
        two[1] = good;
        two[1].user = &wrong;
        refused(plussi_simulate_dispatch(&ctx, two, 2, NULL, 1, s, &m));
        refused(plussi_simulate_rayon(&ctx, 10, 0, 0, 2, work_of, &wrong, 1, s));
    }
    ck_assert(s[0].team == 99 && s[1].team == 99 && m.team == 99);
}
END_TEST

START_TEST(too_many_chunks)
{
    amount a = {1, 0};
    plussi_stage stage = {{(uint64_t)1 << 62, 0, 1, 2, false, false}, work_of, &a, NULL};
    plussi_itersets s;
    plussi_moments m;
    ck_assert_int_eq(plussi_simulate_dispatch(&ctx, &stage, 1, NULL, 1, &s, &m), PLUSS_ELIMIT);
    ck_assert_int_eq(plussi_simulate_rayon(&ctx, (uint64_t)1 << 62, 0, 1, 2, work_of, &a, 1, &s),
                     PLUSS_ELIMIT);
}
END_TEST

START_TEST(short_of_memory)
{
    for (long budget = 0;; budget += suite_step()) {
        failing_mem mem;
        failing_mem_init(&mem, budget);
        plussi_ctx short_ctx;
        plussi_ctx_init(&short_ctx, &mem.mem);
        amount a = {1, 0};
        const plussi_stage one = {{100, 0, 1, 2, false, false}, work_of, &a, NULL};
        const plussi_stage two[] = {one, one};
        plussi_itersets s[2] = {{.mem = mem.mem}, {.mem = mem.mem}}, r = {.mem = mem.mem};
        plussi_moments m = {.mem = mem.mem};
        pluss_status status = plussi_simulate_dispatch(&short_ctx, two, 2, NULL, 1, s, &m);
        if (status == PLUSS_OK)
            status = plussi_simulate_rayon(&short_ctx, 100, 1, 3, 2, work_of, &a, 1, &r);
        plussi_itersets_free(&r);
        if (status == PLUSS_OK)
            status = plussi_simulate_pool(&short_ctx, &(plussi_pool_loop){100, 1, 3}, 2,
                                          &(plussi_pool){.access = 1}, work_of, &a, 1, &r);
        ck_assert_int_eq(status, mem.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_itersets_free(&s[0]);
        plussi_itersets_free(&s[1]);
        plussi_itersets_free(&r);
        plussi_moments_free(&m);
        plussi_ctx_clear(&short_ctx);
        ck_assert_int_eq(mem.live, 0);
        if (!mem.failed)
            break;
    }
}
END_TEST

static Suite *simulate_suite(void)
{
    Suite *suite = suite_create("simulate");
    TCase *tc = tcase_create("simulate");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, gamma_moments, 0, 6);
    tcase_add_test(tc, any_phase);
    tcase_add_loop_test(tc, as_uniform_interleaving, 0, 12);
    tcase_add_test(tc, late_threads_get_less);
    tcase_add_test(tc, nobody_waits);
    tcase_add_test(tc, one_seed_one_outcome);
    tcase_add_test(tc, ties_are_drawn);
    tcase_add_test(tc, loops_without_work);
    tcase_add_test(tc, rayon_any_range);
    tcase_add_test(tc, rayon_alone);
    tcase_add_test(tc, rayon_with_a_thief);
    tcase_add_test(tc, rayon_of_a_huge_range);
    tcase_add_test(tc, pool_with_a_late_thief);
    tcase_add_test(tc, pool_with_costs);
    tcase_add_test(tc, pool_of_one_thread);
    tcase_add_test(tc, pool_any_range);
    tcase_add_test(tc, bad_arguments);
    tcase_add_test(tc, too_many_chunks);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(simulate_suite())

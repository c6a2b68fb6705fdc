/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The event simulations: what any correct outcome has to be, outcomes that are known, bad input and
 * lack of memory.
 */
#include <math.h>

#include "failing_mem.h"
#include "schedule/gslrng.h"
#include "schedule/share.h"
#include "suite.h"

enum { MAX_N = 400, MAX_TEAM = 9 };

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
static void check_shares(const plussi_shares *s, uint64_t n, const double *start)
{
    static unsigned char seen[MAX_N];
    uint64_t total = 0;
    size_t segments = 0;
    for (uint64_t i = 0; i < n; i++)
        seen[i] = 0;
    for (uint32_t t = 0; t < s->team; t++) {
        const plussi_share *share = &s->share[t];
        bool ascending = true;
        double now = start ? start[t] : 0;
        ck_assert(share->kind == PLUSSI_SHARE_SEGMENTS && share->thread == t);
        ck_assert(share->team == s->team && share->n == n);
        ck_assert_ptr_eq(share->segment, s->segment + segments);
        ck_assert_uint_eq(share->before[0], 0);
        for (size_t k = 0; k < share->n_segments; k++) {
            plussi_segment part = share->segment[k];
            ck_assert(part.lo < part.hi && part.hi <= n);
            ck_assert_uint_eq(share->before[k + 1], share->before[k] + part.hi - part.lo);
            for (uint64_t i = part.lo; i < part.hi; i++)
                ck_assert_int_eq(seen[i]++, 0);
            ascending = ascending && (k == 0 || share->segment[k - 1].hi <= part.lo);
            ck_assert(s->chunk_end[segments + k] >= now);
            now = s->chunk_end[segments + k];
        }
        ck_assert_int_eq(share->ascending, ascending);
        segments += share->n_segments;
        total += plussi_share_count(share);
    }
    ck_assert_uint_eq(segments, s->n_segments);
    ck_assert_uint_eq(total, n);
}

/* A chunk's begin is the end of its thread's one before. Whoever is free first takes the next
 * chunk: so the begins ascend with the chunks. And the chunks are those of the dispatcher. */
static void check_order(const plussi_shares *s, plussi_dispatch loop, const double *start)
{
    size_t at[MAX_TEAM] = {0};
    plussi_segment chunk;
    double last_begin = 0;
    while (plussi_dispatch_next(&loop, &chunk)) {
        uint32_t t = 0;
        while (t < s->team &&
               !(at[t] < s->share[t].n_segments && s->share[t].segment[at[t]].lo == chunk.lo))
            t++;
        ck_assert_uint_lt(t, s->team);
        ck_assert_uint_eq(s->share[t].segment[at[t]].hi, chunk.hi);
        const double *end = s->chunk_end + (s->share[t].segment - s->segment);
        double begin = at[t] ? end[at[t] - 1] : start ? start[t] : 0;
        ck_assert(begin >= last_begin);
        last_begin = begin;
        at[t]++;
    }
}

START_TEST(any_loop)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 41, (uint64_t)_i);
    for (uint64_t round = 0; round < 400; round++) {
        double start[MAX_TEAM], speed[MAX_TEAM];
        for (int t = 0; t < MAX_TEAM; t++) {
            start[t] = (double)plussi_rng_below(&rng, 4) * 10;
            speed[t] = .5 + plussi_rng_unit(&rng);
        }
        amount a = {(double)plussi_rng_below(&rng, 20), (double)plussi_rng_below(&rng, 2) / 8};
        plussi_dispatch loop = {_i ? PLUSSI_SCHED_GUIDED : PLUSSI_SCHED_DYNAMIC,
                                plussi_rng_below(&rng, MAX_N),
                                0,
                                1 + plussi_rng_below(&rng, 9),
                                1 + (uint32_t)plussi_rng_below(&rng, MAX_TEAM),
                                plussi_rng_below(&rng, 2)};
        const double *starts = round % 2 ? start : NULL;
        plussi_shares s;
        must(plussi_shares_simulate(&ctx, &loop, starts, round % 4 < 2 ? speed : NULL, work_of, &a,
                                    round, &s));
        check_shares(&s, loop.n, starts);
        check_order(&s, loop, starts);
        for (uint32_t t = 0; t < s.team; t++)
            ck_assert(s.share[t].ascending);
        plussi_shares_free(&s);
    }
}
END_TEST

/* ---- known outcomes ----------------------------------------------------------------------------
 */

/* Much work a chunk: Gamma(1e12) is 1e12 to a millionth, and threads take turns at their speeds. */
START_TEST(fast_threads_get_more)
{
    const double speed[] = {1, 2, 4};
    amount a = {1e12, 0};
    plussi_dispatch loop = {PLUSSI_SCHED_DYNAMIC, 350, 0, 1, 3, false};
    plussi_shares s;
    must(plussi_shares_simulate(&ctx, &loop, NULL, speed, work_of, &a, 1, &s));
    for (uint32_t t = 0; t < 3;
         t++) /* 50, 100, 200; ties at each multiple of 1e12 decide the ends */
        ck_assert(fabs((double)plussi_share_count(&s.share[t]) - 50 * speed[t]) <= 1);
    plussi_shares_free(&s);
}
END_TEST

START_TEST(late_threads_get_less)
{
    const double start[] = {0, 10e12};
    amount a = {1e12, 0};
    plussi_dispatch loop = {PLUSSI_SCHED_DYNAMIC, 30, 0, 1, 2, false};
    plussi_shares s;
    must(plussi_shares_simulate(&ctx, &loop, start, NULL, work_of, &a, 1, &s));
    ck_assert(fabs((double)plussi_share_count(&s.share[0]) - 20) <= 1);
    plussi_shares_free(&s);
}
END_TEST

START_TEST(one_seed_one_outcome)
{
    amount a = {5, 0};
    plussi_dispatch loop = {PLUSSI_SCHED_DYNAMIC, 200, 0, 2, 4, false};
    plussi_shares s, again, other;
    must(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 7, &s));
    must(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 7, &again));
    must(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 8, &other));
    bool differs = false;
    for (size_t i = 0; i < s.n_segments; i++) {
        ck_assert(s.segment[i].lo == again.segment[i].lo && s.chunk_end[i] == again.chunk_end[i]);
        differs = differs || s.segment[i].lo != other.segment[i].lo;
    }
    ck_assert(differs);
    ck_assert_uint_eq(loop.next, 0); /* the caller's dispatcher is left alone */
    plussi_shares_free(&s);
    plussi_shares_free(&again);
    plussi_shares_free(&other);
}
END_TEST

/* Threads that start together are alike: of 9000 loops each of three gets the first iteration 3000
 * times, give or take sqrt(9000 * 2 / 9) = 45; allow five times that. So for Rayon's first worker.
 */
START_TEST(ties_are_drawn)
{
    unsigned first[3] = {0}, root[3] = {0};
    amount a = {1, 0};
    plussi_dispatch loop = {PLUSSI_SCHED_DYNAMIC, 3, 0, 1, 3, false};
    for (uint64_t seed = 0; seed < 9000; seed++) {
        plussi_shares s;
        uint64_t pos;
        must(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, seed, &s));
        for (uint32_t t = 0; t < 3; t++)
            first[t] += plussi_share_position(&s.share[t], 0, &pos);
        plussi_shares_free(&s);
        must(plussi_shares_rayon(&ctx, 3, 0, 0, 3, NULL, work_of, &a, seed, &s));
        for (uint32_t t = 0; t < 3; t++)
            root[t] += plussi_share_position(&s.share[t], 0, &pos);
        plussi_shares_free(&s);
    }
    for (int t = 0; t < 3; t++) {
        ck_assert(fabs(first[t] - 3000.) < 225);
        ck_assert(fabs(root[t] - 3000.) < 225);
    }
}
END_TEST

START_TEST(loops_without_work)
{
    amount a = {0, 0};
    plussi_shares s;
    plussi_dispatch loop = {PLUSSI_SCHED_GUIDED, 0, 0, 1, 3, false};
    must(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 1, &s));
    check_shares(&s, 0, NULL);
    plussi_shares_free(&s);
    loop.n = 50; /* iterations without accesses take no time */
    must(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 1, &s));
    check_shares(&s, 50, NULL);
    for (size_t i = 0; i < s.n_segments; i++)
        ck_assert(s.chunk_end[i] == 0);
    plussi_shares_free(&s);
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
        plussi_shares s;
        must(plussi_shares_rayon(&ctx, n, least, most, team, NULL, work_of, &a, round, &s));
        check_shares(&s, n, NULL);
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
            for (size_t k = 0; k < s.share[t].n_segments; k++) {
                double end = s.chunk_end[(size_t)(s.share[t].segment - s.segment) + k];
                longest = fmax(longest, end - now);
                now = end;
            }
            busy += now;
        }
        ck_assert(last <= busy / team + longest + 1e-9);
        plussi_shares_free(&s);
    }
}
END_TEST

static void check_alone(uint64_t n, uint64_t least, uint64_t most, size_t n_bounds,
                        const uint64_t *bounds)
{
    amount a = {1, 0};
    plussi_shares s;
    must(plussi_shares_rayon(&ctx, n, least, most, 1, NULL, work_of, &a, 1, &s));
    ck_assert_uint_eq(s.n_segments, n_bounds - 1);
    for (size_t i = 0; i + 1 < n_bounds; i++)
        ck_assert(s.segment[i].lo == bounds[i] && s.segment[i].hi == bounds[i + 1]);
    plussi_shares_free(&s);
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
        plussi_shares s;
        must(plussi_shares_rayon(&ctx, 8, 0, 0, 2, NULL, work_of, &a, seed, &s));
        uint32_t thief = s.share[0].segment[0].lo == 4 ? 0 : 1;
        const plussi_share *worker = &s.share[1 - thief];
        ck_assert(s.share[thief].segment[0].lo == 4 && s.share[thief].segment[0].hi == 5);
        ck_assert(worker->segment[0].lo == 0 && worker->segment[0].hi == 2);
        plussi_shares_free(&s);
    }
}
END_TEST

START_TEST(rayon_of_a_huge_range)
{
    amount a = {1, 0};
    plussi_shares s;
    must(plussi_shares_rayon(&ctx, UINT64_MAX, 0, 0, 4, NULL, work_of, &a, 1, &s));
    uint64_t total = 0;
    for (uint32_t t = 0; t < 4; t++)
        total += plussi_share_count(&s.share[t]);
    ck_assert_uint_eq(total, UINT64_MAX);
    plussi_shares_free(&s);
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
    plussi_dispatch good = {PLUSSI_SCHED_DYNAMIC, 10, 0, 1, 2, false}, loop = good;
    plussi_shares s = {.team = 99};
    loop.kind = PLUSSI_SCHED_STATIC;
    refused(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 1, &s));
    loop = good;
    loop.chunk = 0;
    refused(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 1, &s));
    loop = good;
    loop.team = 0;
    refused(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 1, &s));
    refused(plussi_shares_rayon(&ctx, 10, 0, 0, 0, NULL, work_of, &a, 1, &s));
    for (int i = 0; i < 3; i++) {
        double two[] = {1, bad[i]};
        wrong = (amount){bad[i], 0};
        refused(plussi_shares_simulate(&ctx, &good, two, NULL, work_of, &a, 1, &s));
        refused(plussi_shares_simulate(&ctx, &good, NULL, two, work_of, &a, 1, &s));
        refused(plussi_shares_simulate(&ctx, &good, NULL, NULL, work_of, &wrong, 1, &s));
        refused(plussi_shares_rayon(&ctx, 10, 0, 0, 2, two, work_of, &a, 1, &s));
        refused(plussi_shares_rayon(&ctx, 10, 0, 0, 2, NULL, work_of, &wrong, 1, &s));
    }
    double still[] = {0, 1};
    refused(plussi_shares_simulate(&ctx, &good, NULL, still, work_of, &a, 1, &s));
    ck_assert_uint_eq(s.team, 99);
}
END_TEST

START_TEST(too_many_chunks)
{
    amount a = {1, 0};
    plussi_dispatch loop = {PLUSSI_SCHED_DYNAMIC, (uint64_t)1 << 62, 0, 1, 2, false};
    plussi_shares s;
    ck_assert_int_eq(plussi_shares_simulate(&ctx, &loop, NULL, NULL, work_of, &a, 1, &s),
                     PLUSS_ELIMIT);
    ck_assert_int_eq(
        plussi_shares_rayon(&ctx, (uint64_t)1 << 62, 0, 1, 2, NULL, work_of, &a, 1, &s),
        PLUSS_ELIMIT);
}
END_TEST

START_TEST(short_of_memory)
{
    for (long budget = 0;; budget += suite_step()) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx short_ctx;
        plussi_ctx_init(&short_ctx, &m.mem);
        amount a = {1, 0};
        plussi_dispatch loop = {PLUSSI_SCHED_DYNAMIC, 100, 0, 1, 2, false};
        plussi_shares s = {.mem = m.mem}, r = {.mem = m.mem};
        pluss_status status =
            plussi_shares_simulate(&short_ctx, &loop, NULL, NULL, work_of, &a, 1, &s);
        if (status == PLUSS_OK)
            status = plussi_shares_rayon(&short_ctx, 100, 1, 3, 2, NULL, work_of, &a, 1, &r);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_shares_free(&s);
        plussi_shares_free(&r);
        plussi_ctx_clear(&short_ctx);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
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
    tcase_add_loop_test(tc, any_loop, 0, 2);
    tcase_add_test(tc, fast_threads_get_more);
    tcase_add_test(tc, late_threads_get_less);
    tcase_add_test(tc, one_seed_one_outcome);
    tcase_add_test(tc, ties_are_drawn);
    tcase_add_test(tc, loops_without_work);
    tcase_add_test(tc, rayon_any_range);
    tcase_add_test(tc, rayon_alone);
    tcase_add_test(tc, rayon_with_a_thief);
    tcase_add_test(tc, rayon_of_a_huge_range);
    tcase_add_test(tc, bad_arguments);
    tcase_add_test(tc, too_many_chunks);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(simulate_suite())

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scaling of profiles: shifts that are known, reference groups made one by one, and what becomes of
 * accesses without a distance.
 */
#include "model/scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "failing_mem.h"
#include "suite.h"

static plussi_ctx ctx;
static plussi_profile from, to;
static plussi_histo out;

static void begin(plussi_profile_scope scope, plussi_profile_sharing sharing)
{
    ck_assert(!plussi_profile_init(&ctx.mem, PLUSSI_METRIC_DISTANCE, scope, 0, &from));
    ck_assert(!plussi_profile_init(&ctx.mem, PLUSSI_METRIC_DISTANCE, scope, 0, &to));
    from.sharing = to.sharing = sharing;
    from.id.team = 2;
    to.id.team = 4;
    plussi_histo_init(&out, &ctx.mem);
}

static void end(void)
{
    plussi_profile_free(&from);
    plussi_profile_free(&to);
    plussi_histo_free(&out);
}

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    begin(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
}

static void teardown(void)
{
    end();
    plussi_ctx_clear(&ctx);
}

static void again(plussi_profile_scope scope, plussi_profile_sharing sharing)
{
    end();
    begin(scope, sharing);
}

static void add(plussi_profile *p, uint64_t depth, double weight)
{
    ck_assert(!plussi_histo_add(&p->histo, depth - 1, weight));
}

static const plussi_scaling to_32 = {PLUSSI_SCALED_CORES, 2, 4, 32};

static void scale(const plussi_scaling *s)
{
    ck_assert_int_eq(plussi_scale_profile(&ctx, s, &from, &to, &out), PLUSS_OK);
}

static void check(uint64_t depth, double weight)
{
    const double found = plussi_histo_get(&out, depth - 1);
    if (!(fabs(found - weight) < 1e-6 * weight))
        ck_abort_msg("depth %lu: %g, not %g", depth, found, weight);
}

/* In proportion to the cores, as their square root, not at all; the other way in private stacks. */
START_TEST(shifts)
{
    add(&from, 10, 50), add(&from, 400, 30), add(&from, 10000, 20);
    add(&to, 20, 50), add(&to, 566, 30), add(&to, 10000, 20);
    scale(&to_32);
    check(20 * 8, 50);
    check((uint64_t)llround(566 * sqrt(8)), 30);
    check(10000, 20);
    ck_assert_uint_eq(out.n, 3);

    again(PLUSSI_SCOPE_COHERENT, PLUSSI_SHARING_ANY);
    add(&from, 7, 50), add(&from, 1000, 50);
    add(&to, 9, 50), add(&to, 500, 50); /* none goes out */
    scale(&to_32);
    check(9, 50);
    check(63, 50);
    ck_assert_uint_eq(out.n, 2);
}
END_TEST

static int by_depth(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* As many references as groups: each is a group. */
START_TEST(groups_one_by_one)
{
    enum { N = PLUSSI_SCALE_GROUPS };
    static double a[N], b[N], expected[1 << 20];
    plussi_rng rng;
    plussi_rng_seed(&rng, 91, (uint64_t)_i);
    for (int i = 0; i < N; i++) {
        a[i] = 1 + floor(exp(9 * plussi_rng_unit(&rng)));
        b[i] = 1 + floor(exp((_i + 7) * plussi_rng_unit(&rng)));
        add(&from, (uint64_t)a[i], 1);
        add(&to, (uint64_t)b[i], 1);
    }
    qsort(a, N, sizeof *a, by_depth);
    qsort(b, N, sizeof *b, by_depth);
    for (int i = 0; i < N; i++) {
        const double rate = round(100 * fmin(fmax(log2(b[i] / a[i]), 0), 1)) / 100;
        expected[(size_t)llround(b[i] * pow(8, rate))]++;
    }
    scale(&to_32);
    double all = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const double found = i ? plussi_histo_get(&out, i - 1) : 0;
        if (fabs(found - expected[i]) > 1e-3)
            ck_abort_msg("depth %zu: %g, not %g", i, found, expected[i]);
        all += found;
        expected[i] = 0;
    }
    ck_assert(fabs(all - N) < 1e-3);
}
END_TEST

/* Each core reads lines that all read; each doubling of cores loses as many lines to writes. */
START_TEST(without_distance)
{
    again(PLUSSI_SCOPE_COHERENT, PLUSSI_SHARING_SHARED);
    add(&from, 10, 1000), add(&to, 10, 790);
    from.histo.cold = to.histo.cold = 100;
    from.histo.thread_first = 100, to.histo.thread_first = 300;
    from.histo.coherence = 10, to.histo.coherence = 20;
    scale(&(plussi_scaling){PLUSSI_SCALED_CORES, 2, 4, 8});
    ck_assert(out.cold == 100 && out.thread_first == 700 && out.coherence == 30);
    check(10, 380); /* as many accesses as with 4 */
    plussi_histo_free(&out);
    plussi_histo_init(&out, &ctx.mem);
    scale(&(plussi_scaling){PLUSSI_SCALED_CORES, 2, 4, 256}); /* no more than there are */
    ck_assert(out.cold == 100 && out.thread_first == 1110 && out.coherence == 0);
    ck_assert(fabs(plussi_histo_total(&out) - 1210) < 1e-9);
}
END_TEST

/* Of the deepest shared line all is spread evenly, of half the depth one half. */
START_TEST(spreading)
{
    const uint64_t deep = 40000;
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_SHARED);
    add(&from, deep / 4, 10), add(&from, deep, 10);
    add(&to, deep / 2, 10), add(&to, deep, 10);
    to.histo.cold = 5;
    scale(&(plussi_scaling){PLUSSI_SCALED_CORES, 2, 4, 8});
    ck_assert(fabs(plussi_histo_total(&out) - 25) < 1e-9 && out.cold == 5);
    ck_assert(fabs(plussi_histo_get(&out, deep - 1) - 5) < 0.1); /* shifted */
    for (double share = 0.1; share <= 1; share += 0.1) {
        const double below = share * 2 * (double)deep;
        double found = 0;
        for (size_t i = 0; i < out.cap; i++)
            if ((double)out.slot[i].key < below && out.slot[i].key != deep - 1)
                found += out.slot[i].weight;
        /* 5 over depths up to `deep`, 10 over twice as many */
        ck_assert_msg(fabs(found - 5 * fmin(2 * share, 1) - 10 * share) < 0.1, "%g: %g", share,
                      found);
    }
}
END_TEST

/* A matrix product: data four times as large has eight times the accesses, distances in proportion
 * to the data, to its square root, and of none. */
START_TEST(problem_sizes)
{
    again(PLUSSI_SCOPE_COHERENT, PLUSSI_SHARING_ANY); /* also of private stacks */
    add(&from, 3, 50), add(&from, 100, 30), add(&from, 10000, 20);
    add(&to, 3, 400), add(&to, 200, 240), add(&to, 40000, 160);
    from.histo.cold = 10000, to.histo.cold = 40000;
    scale(&(plussi_scaling){PLUSSI_SCALED_DATA, 1, 4, 16});
    check(3, 3200);
    check(400, 1920);
    check(160000, 1280);
    ck_assert(fabs(out.cold - 160000) < 1e-6);
}
END_TEST

/* Parts are told apart by phase and sharing; what has none at 2 stays. Known teams are themselves.
 */
START_TEST(parts_and_whole)
{
    plussi_profile p[5];
    const uint64_t depth[] = {10, 1000, 20, 1000, 77};
    for (int i = 0; i < 5; i++) {
        ck_assert(!plussi_profile_init(&ctx.mem, PLUSSI_METRIC_DISTANCE, PLUSSI_SCOPE_CONCURRENT, 0,
                                       &p[i]));
        p[i].id.team = i < 2 ? 2 : 4;
        p[i].sharing = PLUSSI_SHARING_PRIVATE;
        p[i].phase = (uint64_t)i % 2;
        add(&p[i], depth[i], 10);
    }
    p[4].sharing = PLUSSI_SHARING_SHARED;
    plussi_scaling s = to_32;
    ck_assert(!plussi_scale_cores(&ctx, p, 4, PLUSSI_SCOPE_CONCURRENT, true, &s, &out));
    check(160, 10), check(1000, 10);
    ck_assert_uint_eq(out.n, 2);
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    p[4].sharing = PLUSSI_SHARING_PRIVATE;
    p[4].phase = 9;
    ck_assert(!plussi_scale_cores(&ctx, p, 5, PLUSSI_SCOPE_CONCURRENT, true, &s, &out));
    check(77, 10);
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    ck_assert(!plussi_scale_cores(&ctx, p, 4, PLUSSI_SCOPE_CONCURRENT, false, &s, &out));
    check(160, 10), check(1000, 10);
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    s.at = 2;
    ck_assert(!plussi_scale_cores(&ctx, p, 4, PLUSSI_SCOPE_CONCURRENT, true, &s, &out));
    check(10, 10), check(1000, 10);
    s.at = 8;
    ck_assert_int_eq(plussi_scale_cores(&ctx, p, 2, PLUSSI_SCOPE_CONCURRENT, true, &s, &out),
                     PLUSS_EEMPTY);
    for (int i = 0; i < 5; i++)
        plussi_profile_free(&p[i]);
}
END_TEST

/* Distances in proportion to data and cores, to the square root of the data, and of none. */
START_TEST(both)
{
    plussi_profile p[4];
    const double data[] = {1, 1, 4, 4}, cores[] = {2, 4, 2, 4};
    for (int i = 0; i < 4; i++) {
        ck_assert(!plussi_profile_init(&ctx.mem, PLUSSI_METRIC_DISTANCE, PLUSSI_SCOPE_CONCURRENT, 0,
                                       &p[i]));
        p[i].id.team = (uint32_t)cores[i];
        p[i].sharing = PLUSSI_SHARING_PRIVATE;
        add(&p[i], 3, 50 * data[i]);
        add(&p[i], (uint64_t)(50 * sqrt(data[i])), 30 * data[i]);
        add(&p[i], (uint64_t)(1000 * data[i] * cores[i]), 20 * data[i]);
    }
    const plussi_locality_set known[] = {{p, 2}, {p + 2, 2}};
    const plussi_scaling size = {PLUSSI_SCALED_DATA, 1, 4, 16};
    ck_assert(!plussi_scale_both(&ctx, known, PLUSSI_SCOPE_CONCURRENT, &size, &to_32, &out));
    check(3, 800), check(200, 480), check(1000 * 16 * 32, 320);
    ck_assert_uint_eq(out.n, 3);
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    const plussi_locality_set bare[] = {{p, 1}, {p + 2, 2}};
    ck_assert_int_eq(plussi_scale_both(&ctx, bare, PLUSSI_SCOPE_CONCURRENT, &size, &to_32, &out),
                     PLUSS_EEMPTY);
    const plussi_scaling two = {PLUSSI_SCALED_CORES, 2, 4, 2}; /* the data alone */
    ck_assert(!plussi_scale_both(&ctx, bare, PLUSSI_SCOPE_CONCURRENT, &size, &two, &out));
    check(3, 800), check(200, 480), check(1000 * 16 * 2, 320);
    for (int i = 0; i < 4; i++)
        plussi_profile_free(&p[i]);
}
END_TEST

START_TEST(wrong)
{
    static const plussi_scaling bad[] = {{PLUSSI_SCALED_CORES, 4, 4, 8},
                                         {PLUSSI_SCALED_CORES, 0, 4, 8},
                                         {PLUSSI_SCALED_DATA, 2, 4, 0},
                                         {PLUSSI_SCALED_DATA, 2, 4, NAN},
                                         {PLUSSI_SCALED_DATA, 2, INFINITY, 8}};
    add(&from, 1, 1), add(&to, 1, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(plussi_scale_profile(&ctx, &bad[i], &from, &to, &out), PLUSS_EINVAL);
    from.scope = PLUSSI_SCOPE_COHERENT;
    ck_assert_int_eq(plussi_scale_profile(&ctx, &to_32, &from, &to, &out), PLUSS_EINVAL);
    ck_assert(plussi_histo_total(&out) == 0);
}
END_TEST

START_TEST(short_of_memory)
{
    from.sharing = to.sharing = PLUSSI_SHARING_SHARED;
    for (uint64_t d = 1; d < 40; d++)
        add(&from, d, 1), add(&to, d + d / 2, 1);
    bool whole = false;
    for (long budget = 0; !whole; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx few;
        plussi_histo histo;
        plussi_ctx_init(&few, &m.mem);
        plussi_histo_init(&histo, &m.mem);
        const pluss_status status = plussi_scale_profile(&few, &to_32, &from, &to, &histo);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_histo_free(&histo);
        plussi_ctx_clear(&few);
        ck_assert_int_eq(m.live, 0);
        whole = !m.failed;
    }
}
END_TEST

static Suite *scale_suite(void)
{
    Suite *suite = suite_create("scale");
    TCase *tc = tcase_create("scale");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, shifts);
    tcase_add_loop_test(tc, groups_one_by_one, 0, 3);
    tcase_add_test(tc, without_distance);
    tcase_add_test(tc, spreading);
    tcase_add_test(tc, problem_sizes);
    tcase_add_test(tc, parts_and_whole);
    tcase_add_test(tc, both);
    tcase_add_test(tc, wrong);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(scale_suite())

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

static const plussi_scaling to_32 = {PLUSSI_SCALED_CORES, 2, 4, 32, 0};

/* Of data of one size. */
static pluss_status scale_cores(const plussi_profile *p, size_t n, plussi_profile_scope scope,
                                plussi_scale_by by, const plussi_scaling *s, plussi_histo *histo)
{
    const plussi_locality_set known = {p, n};
    return plussi_scale_program(&ctx, &known, scope, by, NULL, s, histo);
}

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

/* As much in the depths from first to last, but for a group or two at the ends. */
static void check_spread(uint64_t first, uint64_t last, double weight)
{
    double found = 0;
    for (uint64_t depth = first; depth <= last; depth++)
        found += plussi_histo_get(&out, depth - 1);
    ck_assert_msg(fabs(found - weight) < 1e-4 * weight, "depths %lu to %lu: %g, not %g", first,
                  last, found, weight);
}

/* In proportion to the cores, as their square root, not at all; the other way in private stacks. */
START_TEST(shifts)
{
    add(&from, 10, 50), add(&from, 400, 30), add(&from, 10000, 20);
    add(&to, 20, 50), add(&to, 566, 30), add(&to, 10000, 20);
    scale(&to_32);
    check_spread(19 * 8 + 1, 20 * 8, 50);
    for (uint64_t depth = 19 * 8 + 1; depth <= 20 * 8; depth++)
        check(depth, 50.0 / 8);
    check_spread((uint64_t)ceil(565 * sqrt(8)), (uint64_t)ceil(566 * sqrt(8)), 30);
    check(10000, 20);

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

/* Two and four threads that take turns at random, each to lines of its own, which it touches again
 * and again: a share 1/T of the accesses follows one of the same thread, and so on. */
START_TEST(random_turns)
{
    for (int depth = 1; depth < 400; depth++) {
        add(&from, (uint64_t)depth, pow(0.5, depth));
        add(&to, (uint64_t)depth, 0.25 * pow(0.75, depth - 1));
    }
    scale(&to_32);
    double below = 0, off = 0;
    for (int depth = 1; depth < 200; depth++) {
        below += plussi_histo_get(&out, (uint64_t)depth - 1);
        off = fmax(off, fabs(below - (1 - pow(31.0 / 32, depth))));
    }
    ck_assert_msg(off < 0.05, "%g", off); /* 0.22 where all of a distance shifts alike */
}
END_TEST

/* A group's depth never exceeds the lines that there are. */
START_TEST(no_more_than_all_lines)
{
    plussi_scaling few = to_32;
    few.lines = 100;
    add(&from, 10, 50), add(&from, 20, 50);
    add(&to, 10, 50), add(&to, 40, 50);
    scale(&few);
    check(10, 50), check(100, 50);
    ck_assert_uint_eq(out.n, 2);
}
END_TEST

static void find_depths(const double *sorted, int n, double *depth)
{
    for (int i = 0, k; i < n; i = k) {
        for (k = i; k < n && sorted[k] == sorted[i];)
            k++;
        for (int j = i; j < k; j++)
            depth[j] = sorted[i] - 1 + (j - i + 0.5) / (k - i);
    }
}

/* As many references as groups: each is a group. */
START_TEST(groups_one_by_one)
{
    enum { N = PLUSSI_SCALE_GROUPS };
    static double a[N], b[N], deep_a[N], deep_b[N], expected[1 << 20];
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
    find_depths(a, N, deep_a);
    find_depths(b, N, deep_b);
    for (int i = 0; i < N; i++) {
        const double rate = round(100 * fmin(fmax(log2(deep_b[i] / deep_a[i]), 0), 1)) / 100;
        expected[(size_t)fmax(ceil(deep_b[i] * pow(8, rate) * (1 - 1e-12)), 1)]++;
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

/* One core has none; from 2 and 4 on as many more with each, with each doubling, or with half of
 * the rest. */
START_TEST(without_distance)
{
    const double at_4[] = {300, 200, 150}, at_16[] = {1500, 400, 187.5};
    for (int i = 0; i < 3; i++) {
        again(PLUSSI_SCOPE_COHERENT, PLUSSI_SHARING_SHARED);
        add(&from, 10, 4900), add(&to, 10, 5000 - at_4[i]);
        from.histo.thread_first = 100, to.histo.thread_first = at_4[i];
        scale(&(plussi_scaling){PLUSSI_SCALED_CORES, 2, 4, 16, 0});
        ck_assert_msg(fabs(out.thread_first - at_16[i]) < 1e-6, "%g", out.thread_first);
    }
    again(PLUSSI_SCOPE_COHERENT, PLUSSI_SHARING_SHARED);
    add(&from, 10, 1000), add(&to, 10, 790);
    from.histo.cold = to.histo.cold = 100;
    from.histo.thread_first = 100, to.histo.thread_first = 300;
    from.histo.coherence = 10, to.histo.coherence = 20;
    scale(&(plussi_scaling){PLUSSI_SCALED_CORES, 2, 4, 8, 0});
    ck_assert(out.cold == 100 && fabs(out.thread_first - 700) < 1e-6 &&
              fabs(out.coherence - 30) < 1e-6);
    check(10, 380); /* as many accesses as with 4 */
    plussi_histo_free(&out);
    plussi_histo_init(&out, &ctx.mem);
    scale(&(plussi_scaling){PLUSSI_SCALED_CORES, 2, 4, 256, 0}); /* no more than there are */
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
    scale(&(plussi_scaling){PLUSSI_SCALED_CORES, 2, 4, 8, 0});
    ck_assert(fabs(plussi_histo_total(&out) - 25) < 1e-9 && out.cold == 5);
    ck_assert(fabs(plussi_histo_get(&out, deep - 1) + plussi_histo_get(&out, deep - 2) - 5) <
              0.1); /* shifted */
    for (double share = 0.1; share <= 1; share += 0.1) {
        const double below = share * 2 * (double)deep;
        double found = 0;
        for (size_t i = 0; i < out.cap; i++)
            if ((double)out.slot[i].key < below && out.slot[i].key != deep - 1 &&
                out.slot[i].key != deep - 2)
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
    scale(&(plussi_scaling){PLUSSI_SCALED_DATA, 1, 4, 16, 0});
    check(3, 3200);
    check_spread(399, 400, 1920);
    check_spread(4 * 39999 + 1, 160000, 1280);
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
    ck_assert(!scale_cores(p, 4, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_PARTS, &s, &out));
    check_spread(153, 160, 10), check(1000, 10);
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    p[4].sharing = PLUSSI_SHARING_PRIVATE;
    p[4].phase = 9;
    ck_assert(!scale_cores(p, 5, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_PARTS, &s, &out));
    check(77, 10);
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    ck_assert(!scale_cores(p, 4, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_DIRECT, &s, &out));
    check_spread(153, 160, 10), check(1000, 10);
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    s.at = 2;
    ck_assert(!scale_cores(p, 4, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_PARTS, &s, &out));
    check(10, 10), check(1000, 10);
    s.at = 8;
    ck_assert_int_eq(scale_cores(p, 2, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_PARTS, &s, &out),
                     PLUSS_EEMPTY);
    for (int i = 0; i < 5; i++)
        plussi_profile_free(&p[i]);
}
END_TEST

static plussi_profile make_part(double team, plussi_profile_scope scope,
                                plussi_profile_sharing sharing)
{
    plussi_profile p;
    ck_assert(!plussi_profile_init(&ctx.mem, PLUSSI_METRIC_DISTANCE, scope, 0, &p));
    p.id.team = (uint32_t)team;
    p.sharing = sharing;
    return p;
}

/* In a window each thread touches lines of its own, and the share u of the shared ones: how many
 * different lines all of them do is known at any number of threads. u 0: nothing is shared. */
static const double window_share[] = {0, 0.01, 0.05, 0.3, 1};

enum { WINDOW_PARTS = 6 };

static double window_depth(double u, double data, double team)
{
    return data * (team * 3000 + 20000 * (1 - pow(1 - u, team)));
}

/* Of 2 and 4 threads; depths of shared lines are 100 and 140 more. */
static void make_window(double u, double data, plussi_profile p[WINDOW_PARTS])
{
    for (int i = 0; i < 2; i++) {
        const double t = i ? 4 : 2;
        p[3 * i] = make_part(t, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_PRIVATE);
        p[3 * i + 1] = make_part(t, PLUSSI_SCOPE_APART, PLUSSI_SHARING_PRIVATE);
        p[3 * i + 2] = make_part(t, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_SHARED);
        add(&p[3 * i], (uint64_t)llround(window_depth(u, data, t)), 10 * data);
        add(&p[3 * i + 1], (uint64_t)llround(data * t * (3000 + u * 20000)), 10 * data);
        add(&p[3 * i + 2], i ? 140 : 100, 5 * data);
        p[3 * i + 2].histo.cold = 20000 * data;
        p[3 * i].histo.cold = 1e7 * data;
    }
}

/* met: depth of shared lines. */
static void check_window(double u, double data, double team, double met)
{
    const double depth = window_depth(u, data, team);
    double found = 0, as_told = 0;
    for (size_t i = 0; i < out.cap; i++) {
        const double at = (double)out.slot[i].key + 0.5;
        found += fabs(at - depth) < 0.01 * depth ? out.slot[i].weight : 0;
        as_told += fabs(at - met) < 2 ? out.slot[i].weight : 0;
    }
    ck_assert_msg(fabs(found - 10 * data) < 1e-6 * data && fabs(as_told - 5 * data) < 1e-6 * data,
                  "u = %g, T = %g: %g of %g at %g, %g of %g at %g", u, team, found, 10 * data,
                  depth, as_told, 5 * data, met);
}

START_TEST(by_overlap)
{
    static const double teams[] = {8, 32, 256};
    const double u = window_share[_i];
    plussi_profile p[WINDOW_PARTS];
    make_window(u, 1, p);
    for (int k = 0; k < 3; k++) {
        again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
        const plussi_scaling s = {PLUSSI_SCALED_CORES, 2, 4, teams[k], 0};
        ck_assert(
            !scale_cores(p, WINDOW_PARTS, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_OVERLAP, &s, &out));
        check_window(u, 1, teams[k], 139.5 + 40 * log2(teams[k] / 4)); /* more by doublings */
    }
    /* private caches are as direct */
    again(PLUSSI_SCOPE_COHERENT, PLUSSI_SHARING_ANY);
    for (int i = 0; i < WINDOW_PARTS; i++)
        p[i].scope = p[i].scope == PLUSSI_SCOPE_CONCURRENT ? PLUSSI_SCOPE_COHERENT : p[i].scope;
    plussi_histo direct;
    plussi_histo_init(&direct, &ctx.mem);
    ck_assert(
        !scale_cores(p, WINDOW_PARTS, PLUSSI_SCOPE_COHERENT, PLUSSI_SCALE_OVERLAP, &to_32, &out));
    ck_assert(
        !scale_cores(p, WINDOW_PARTS, PLUSSI_SCOPE_COHERENT, PLUSSI_SCALE_DIRECT, &to_32, &direct));
    ck_assert_uint_gt(direct.n, 0);
    ck_assert_uint_eq(out.n, direct.n);
    for (size_t i = 0; i < direct.cap; i++)
        ck_assert(direct.slot[i].weight == 0 ||
                  plussi_histo_get(&out, direct.slot[i].key) == direct.slot[i].weight);
    plussi_histo_free(&direct);
    for (int i = 0; i < WINDOW_PARTS; i++)
        plussi_profile_free(&p[i]);
}
END_TEST

/* Shared lines that are nearer with 4 threads than with 2 do not come nearer still. */
START_TEST(shared_lines_stay)
{
    plussi_profile p[2];
    for (int i = 0; i < 2; i++) {
        p[i] = make_part(i ? 4 : 2, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_SHARED);
        add(&p[i], i ? 100 : 140, 5);
        p[i].histo.cold = 1000;
    }
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    ck_assert(!scale_cores(p, 2, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_OVERLAP, &to_32, &out));
    check(100, 5);
    plussi_profile_free(&p[0]);
    plussi_profile_free(&p[1]);
}
END_TEST

/* The same of data four times as large as the larger that is known: private and shared lines grow
 * on their own. Profiles of sampled runs have fewer accesses, and say so. */
START_TEST(data_by_overlap)
{
    const double u = window_share[_i];
    plussi_profile p[2 * WINDOW_PARTS];
    make_window(u, 1, p);
    make_window(u, 2, p + WINDOW_PARTS);
    for (int i = 0; i < 2 * WINDOW_PARTS; i++) {
        plussi_histo all = p[i].histo;
        p[i].runs = i % 3 ? 1 : i < WINDOW_PARTS ? 0.5 : 0.25;
        plussi_histo_init(&p[i].histo, &ctx.mem);
        ck_assert(!plussi_histo_merge(&p[i].histo, &all, p[i].runs));
        plussi_histo_free(&all);
    }
    const plussi_locality_set known[] = {{p, WINDOW_PARTS}, {p + WINDOW_PARTS, WINDOW_PARTS}};
    const plussi_scaling size = {PLUSSI_SCALED_DATA, 1, 2, 8, 0};
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    ck_assert(!plussi_scale_program(&ctx, known, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_OVERLAP,
                                    &size, &to_32, &out));
    check_window(u, 8, 32, 139.5 + 40 * 3);
    for (int i = 0; i < 2 * WINDOW_PARTS; i++)
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
        add(&p[i], (uint64_t)(500 * sqrt(data[i])), 30 * data[i]);
        add(&p[i], (uint64_t)(1000 * data[i] * cores[i]), 20 * data[i]);
    }
    const plussi_locality_set known[] = {{p, 2}, {p + 2, 2}};
    const plussi_scaling size = {PLUSSI_SCALED_DATA, 1, 4, 16, 0};
    ck_assert(!plussi_scale_program(&ctx, known, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_DIRECT,
                                    &size, &to_32, &out));
    check(3, 800), check_spread(1999, 2000, 480), check_spread(511969, 512000, 320);
    again(PLUSSI_SCOPE_CONCURRENT, PLUSSI_SHARING_ANY);
    const plussi_locality_set bare[] = {{p, 1}, {p + 2, 2}};
    ck_assert_int_eq(plussi_scale_program(&ctx, bare, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_DIRECT,
                                          &size, &to_32, &out),
                     PLUSS_EEMPTY);
    const plussi_scaling two = {PLUSSI_SCALED_CORES, 2, 4, 2, 0}; /* the data alone */
    ck_assert(!plussi_scale_program(&ctx, bare, PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCALE_DIRECT, &size,
                                    &two, &out));
    check(3, 800), check_spread(1999, 2000, 480), check_spread(31997, 32000, 320);
    for (int i = 0; i < 4; i++)
        plussi_profile_free(&p[i]);
}
END_TEST

START_TEST(wrong)
{
    static const plussi_scaling bad[] = {{PLUSSI_SCALED_CORES, 4, 4, 8, 0},
                                         {PLUSSI_SCALED_CORES, 0, 4, 8, 0},
                                         {PLUSSI_SCALED_DATA, 2, 4, 0, 0},
                                         {PLUSSI_SCALED_DATA, 2, 4, NAN, 0},
                                         {PLUSSI_SCALED_DATA, 2, INFINITY, 8, 0}};
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
    tcase_add_test(tc, random_turns);
    tcase_add_test(tc, no_more_than_all_lines);
    tcase_add_loop_test(tc, groups_one_by_one, 0, 3);
    tcase_add_test(tc, without_distance);
    tcase_add_test(tc, spreading);
    tcase_add_test(tc, problem_sizes);
    tcase_add_test(tc, parts_and_whole);
    tcase_add_loop_test(tc, by_overlap, 0, 5);
    tcase_add_test(tc, shared_lines_stay);
    tcase_add_loop_test(tc, data_by_overlap, 0, 5);
    tcase_add_test(tc, both);
    tcase_add_test(tc, wrong);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(scale_suite())

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves scaled to other threads and problem sizes, from profiles that are kept, against exact
 * simulation there.
 */
#include "pluss.h"

#include "../unit/suite.h"

#include <stdio.h>

#include "../unit/option_text.h"

#include "../unit/one_file.h"

static const char product[] = "pluss-nest 1\n"
                              "symbol n\n"
                              "array f64 A[n][n]\narray f64 B[n][n]\narray f64 C[n][n]\n"
                              "region product\n"
                              "parallel for i in 0..n schedule(static) {\n"
                              "  for j in 0..n {\n"
                              "    for k in 0..n { read A[i][k] read B[k][j] }\n"
                              "    write C[i][j]\n"
                              "  }\n"
                              "}\n"
                              "region sweep\n"
                              "parallel for i in 0..n schedule(static) {\n"
                              "  for j in 0..n { read A[i][j] write C[j][i] }\n"
                              "}\n";

static pluss_context *c;
static pluss_nests *nests;

static void begin(void)
{
    setup();
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(product, file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(pluss_context_new(NULL, &c), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_read(c, path, &nests), PLUSS_OK);
}

static void end(void)
{
    pluss_nests_free(nests);
    pluss_context_free(c);
    teardown();
}

static pluss_result *simulate(const char *words)
{
    pluss_options *options;
    pluss_result *result;
    ck_assert_int_eq(make_options(c, words, &options), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_simulate(c, nests, options, &result), PLUSS_OK);
    pluss_options_free(options);
    return result;
}

static pluss_status try_to_scale(const pluss_result *profiles, const char *words,
                                 pluss_result **out)
{
    pluss_options *options;
    ck_assert_int_eq(make_options(c, words, &options), PLUSS_OK);
    const pluss_status status = pluss_result_scale(c, profiles, options, out);
    pluss_options_free(options);
    return status;
}

static pluss_result *scale(const pluss_result *profiles, const char *words)
{
    pluss_result *result;
    ck_assert_int_eq(try_to_scale(profiles, words, &result), PLUSS_OK);
    return result;
}

/* Profiles of two sizes, as they are after they were written and read. */
static pluss_result *profiles_of(const char *first, const char *second)
{
    static char text[1 << 22];
    size_t length;
    pluss_result *all = simulate(first), *more = second ? simulate(second) : NULL, *read;
    pluss_report *report;
    if (more)
        ck_assert_int_eq(pluss_result_append(c, all, more), PLUSS_OK);
    ck_assert_int_eq(pluss_profile_report(c, all, &report), PLUSS_OK);
    ck_assert_int_eq(pluss_report_print(c, report, "json", NULL, text, sizeof text, &length),
                     PLUSS_OK);
    ck_assert_uint_lt(length, sizeof text);
    ck_assert_int_eq(pluss_result_read(c, text, length, NULL, &read), PLUSS_OK);
    pluss_report_free(report);
    pluss_result_free(more);
    pluss_result_free(all);
    return read;
}

/* The mean difference of each pair of curves, which all have partners. */
static void check(pluss_result *scaled, const char *model, pluss_result *exact, size_t n,
                  const double *most)
{
    ck_assert_uint_eq(pluss_result_count(scaled), n);
    ck_assert_uint_eq(pluss_result_count(exact), n);
    for (size_t i = 0; i < n; i++) {
        pluss_difference d = {.size = sizeof d};
        pluss_curve_info a = {.size = sizeof a}, b = a;
        const pluss_curve *x = pluss_result_get(scaled, i), *y = pluss_result_get(exact, i);
        ck_assert_int_eq(pluss_curve_get_info(x, &a), PLUSS_OK);
        ck_assert_int_eq(pluss_curve_get_info(y, &b), PLUSS_OK);
        ck_assert(a.team == b.team && a.threads_per_cache == b.threads_per_cache && !a.simulated);
        ck_assert_str_eq(a.region, b.region);
        ck_assert_int_eq(a.bindings[0].value, b.bindings[0].value);
        ck_assert_str_eq(a.engine, model);
        ck_assert_int_eq(pluss_curve_compare(c, x, y, PLUSS_GRID_STRICT, &d), PLUSS_OK);
        ck_assert_msg(d.mean_abs <= most[i], "%s, T = %u, caches of %u: %.4f", a.region, a.team,
                      a.threads_per_cache, d.mean_abs);
    }
    pluss_result_free(scaled);
    pluss_result_free(exact);
}

/* What was measured is as it was, to the last access, in shared and in private caches. */
START_TEST(measured)
{
    pluss_result *p =
        profiles_of("define=n=32 threads=1,2,4,8 sharing", "define=n=16 threads=2 sharing");
    const double none[16] = {0};
    check(scale(p, "define=n=32 threads=1,2,4,8"), "scale-overlap",
          simulate("define=n=32 threads=1,2,4,8"), 8, none);
    pluss_result *two = scale(p, "region=product threads=2");
    ck_assert_uint_eq(pluss_result_count(two), 2); /* of each size */
    pluss_result_free(two);
    pluss_result_free(p);
}
END_TEST

/* Rows are whole lines, so that a size twice as large has the same program four times as large. */
START_TEST(near_simulation)
{
    static const char *const models[] = {"scale", "scale-ps", "scale-overlap"};
    const char *model = models[_i];
    char shared[200], own[200];
    snprintf(shared, sizeof shared, "define=n=64 threads=1,2,4,8 region=product cache=1K model=%s",
             model);
    snprintf(own, sizeof own, "define=n=64 threads=2,4,8 region=product cache=1K:shared=1 model=%s",
             model);
    pluss_result *p =
        profiles_of("define=n=16 threads=1,2,4 sharing", "define=n=32 threads=1,2,4 sharing");
    const double most[] = {0.02, 0.02, 0.02, 0.03}; /* by threads */
    check(scale(p, shared), model, simulate("define=n=64 threads=1,2,4,8 region=product"), 4, most);
    check(scale(p, own), model,
          simulate("define=n=64 threads=2,4,8 region=product cache=1K:shared=1"), 3, most + 1);
    pluss_result_free(p);
}
END_TEST

/* What a table and a picture of both kinds of caches tell. */
START_TEST(capacities)
{
    pluss_result *p = profiles_of("define=n=32 threads=1,2,4 sharing", NULL);
    pluss_result *both = scale(p, "threads=1,8 region=product cache=1K,1K:shared=1");
    pluss_result *alone = scale(p, "threads=8 region=product cache=1K");
    pluss_capacities found = {.size = sizeof found};
    size_t n = 0;
    for (size_t i = 0; i < pluss_result_count(both); i++) {
        pluss_curve_info info = {.size = sizeof info};
        ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(both, i), &info), PLUSS_OK);
        const pluss_status status = pluss_result_get_capacities(both, i, &found);
        if (info.team == 1 || info.threads_per_cache) {
            ck_assert_int_eq(status, PLUSS_ENOTFOUND);
            continue;
        }
        ck_assert_int_eq(status, PLUSS_OK);
        /* where they are, the curves say */
        const pluss_curve *shared = pluss_result_get(both, i), *own = NULL, *one = NULL;
        for (size_t k = 0; k < pluss_result_count(both); k++) {
            ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(both, k), &info), PLUSS_OK);
            if (info.team == 1 && !info.threads_per_cache)
                one = pluss_result_get(both, k);
            if (info.team == 8 && info.threads_per_cache == 1)
                own = pluss_result_get(both, k);
        }
        ck_assert(one && own && found.core_bytes && found.share_bytes);
        const double last = pluss_curve_at(shared, found.max_bytes);
        ck_assert(pluss_curve_at(shared, found.max_bytes - 64) > last);
        ck_assert(pluss_curve_at(shared, UINT64_C(1) << 40) == last);
        ck_assert(pluss_curve_at(shared, found.share_bytes) <=
                  0.9 * pluss_curve_at(own, found.share_bytes / 8));
        ck_assert(found.share_bytes == 8 * 64 ||
                  pluss_curve_at(shared, found.share_bytes - 64) >
                      0.9 * pluss_curve_at(own, (found.share_bytes - 64) / 8));
        ck_assert(pluss_curve_at(shared, found.core_bytes) / pluss_curve_at(one, found.core_bytes) <
                  pluss_curve_at(shared, found.core_bytes - 64) /
                      pluss_curve_at(one, found.core_bytes - 64));
        n++;
    }
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(pluss_result_get_capacities(alone, 0, &found), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_result_get_capacities(both, 99, &found), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_result_get_capacities(NULL, 0, &found), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_result_get_capacities(both, 0, NULL), PLUSS_EINVAL);
    pluss_result_free(alone);
    pluss_result_free(both);
    pluss_result_free(p);
}
END_TEST

START_TEST(refused)
{
    pluss_result *r = NULL, *p = profiles_of("define=n=16 threads=2,4 sharing", NULL);
    pluss_result *bare = simulate("define=n=16 threads=2,4 profiles");
    ck_assert_int_eq(try_to_scale(bare, "threads=8", &r), PLUSS_EEMPTY);
    ck_assert_int_eq(try_to_scale(p, "threads=8 region=none", &r), PLUSS_EEMPTY);
    ck_assert_int_eq(try_to_scale(p, "threads=8 define=n=32", &r), PLUSS_EINVAL);
    ck_assert_int_eq(try_to_scale(p, "threads=8 define=m=32", &r), PLUSS_ENOTFOUND);
    ck_assert_int_eq(try_to_scale(p, "threads=8 cache=1K:shared=2", &r), PLUSS_EINVAL);
    ck_assert_int_eq(try_to_scale(p, "threads=8 model=clock", &r), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_result_scale(c, NULL, NULL, &r), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_result_scale(NULL, p, NULL, &r), PLUSS_EINVAL);
    ck_assert_ptr_null(r);
    r = scale(p, "threads=1,8 define=product.n=16 region=product"); /* none of one thread */
    ck_assert_uint_eq(pluss_result_count(r), 1);
    pluss_result_free(r);
    pluss_result_free(p);
    p = profiles_of("define=n=16 threads=4 sharing", "define=n=32 threads=2,4 sharing");
    ck_assert_int_eq(try_to_scale(p, "threads=8 define=n=64", &r), PLUSS_EEMPTY);
    ck_assert_int_eq(try_to_scale(p, "threads=8 define=n=0", &r), PLUSS_EINVAL);
    pluss_result_free(p);
    pluss_result_free(bare);
}
END_TEST

static Suite *scaling_suite(void)
{
    Suite *suite = suite_create("scaling");
    TCase *cases = tcase_create("scaling");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, measured);
    tcase_add_loop_test(cases, near_simulation, 0, 3);
    tcase_add_test(cases, capacities);
    tcase_add_test(cases, refused);
    suite_add_tcase(suite, cases);
    return suite;
}

SUITE_MAIN(scaling_suite())

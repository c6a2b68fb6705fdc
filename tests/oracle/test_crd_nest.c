/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model crd of nests: threads of unequal rates and of unequal numbers of accesses, with shared
 * lines and without, against the exact merge.
 */
#include "pluss.h"

#include "../unit/suite.h"

#include <math.h>
#include <stdio.h>

#include "../unit/option_text.h"

static pluss_context *c;

static void begin(void)
{
    ck_assert_int_eq(pluss_context_new(NULL, &c), PLUSS_OK);
}

static void end(void)
{
    pluss_context_free(c);
}

typedef pluss_status (*run_fn)(pluss_context *, const pluss_nest *, const pluss_options *,
                               pluss_result **);

/* rates NULL: uniform. */
static pluss_result *run(run_fn engine, const char *text, const char *words, const double *rates,
                         size_t n)
{
    pluss_nest *nest;
    pluss_options *options;
    pluss_result *result;
    const pluss_progress progress = {
        .size = sizeof progress, .law = "rates", .rates = rates, .n_rates = n};
    ck_assert_int_eq(pluss_nest_parse(c, text, strlen(text), "test", &nest), PLUSS_OK);
    ck_assert_int_eq(make_options(c, words, &options), PLUSS_OK);
    if (rates)
        ck_assert_int_eq(pluss_options_set_progress(c, options, &progress), PLUSS_OK);
    ck_assert_int_eq(engine(c, nest, options, &result), PLUSS_OK);
    pluss_options_free(options);
    pluss_nest_free(nest);
    return result;
}

/* Mean over 8 sizes an octave up to the footprint. */
static double difference(const pluss_result *a, const pluss_result *b)
{
    pluss_curve_info info = {.size = sizeof info};
    double sum = 0, n = 0;
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(b, 0), &info), PLUSS_OK);
    for (double size = 64; size <= 64 * (double)info.footprint_lines; size *= exp2(0.125), n++)
        sum += fabs(pluss_curve_at(pluss_result_get(a, 0), (uint64_t)size) -
                    pluss_curve_at(pluss_result_get(b, 0), (uint64_t)size));
    return sum / n;
}

/* Each thread walks 500 lines in a scattered order, some of which all threads have. Threads that
 * progress alike would meet these in step, which the model does not know of: there, there are none.
 */
static const char scattered[] =
    "pluss-nest 1 region r array f64 A[17][500][8] parallel for i in 0..%d schedule(static, 1) { "
    "for j in 0..(30000 * (1 + i * %d)) { read A[((j + 701 * i) * 541 %% 1999 %% 500 < %d) ? 16 : "
    "i][(j + 701 * i) * 541 %% 1999 %% 500][0] } }";

static void check(int shared, int threads, int longer, const double *rates, double most)
{
    char text[600], words[40];
    snprintf(text, sizeof text, scattered, threads, longer, shared);
    snprintf(words, sizeof words, "threads=%d", threads);
    pluss_result *exact = run(pluss_simulate, text, words, rates, (size_t)threads);
    snprintf(words, sizeof words, "threads=%d model=crd", threads);
    pluss_result *crd = run(pluss_predict, text, words, rates, (size_t)threads);
    const double is = difference(crd, exact);
    ck_assert_msg(is < most, "%d lines, %d threads: %.4f", shared, threads, is);
    if (rates) { /* which matter */
        pluss_result *even = run(pluss_predict, text, words, NULL, 0);
        const double off = difference(even, exact);
        ck_assert_msg(off > 2 * is, "%d lines, %d threads: %.4f, evenly %.4f", shared, threads, is,
                      off);
        pluss_result_free(even);
    }
    pluss_result_free(exact);
    pluss_result_free(crd);
}

START_TEST(rates)
{
    const double two[] = {1, 0.25}, four[] = {2, 1, 0.5, 0.25};
    check(0, 2, 0, two, 0.02);
    check(0, 4, 0, four, 0.02);
    check(100, 2, 0, two, 0.02);
    check(100, 4, 0, four, 0.02);
}
END_TEST

START_TEST(lengths)
{
    check(0, 2, 0, NULL, 0.01);
    check(0, 4, 0, NULL, 0.01);
    check(0, 3, 1, NULL, 0.01);
}
END_TEST

START_TEST(other_laws)
{
    pluss_nest *nest;
    pluss_options *options;
    pluss_result *result = NULL;
    const char text[] = "pluss-nest 1 region r array f64 A[9] parallel for i in 0..9 { read A[i] }";
    ck_assert_int_eq(pluss_nest_parse(c, text, strlen(text), "test", &nest), PLUSS_OK);
    ck_assert_int_eq(make_options(c, "threads=2 model=crd progress=burst:8", &options), PLUSS_OK);
    ck_assert_int_eq(pluss_predict(c, nest, options, &result), PLUSS_EINVAL);
    ck_assert_ptr_null(result);
    pluss_options_free(options);
    pluss_nest_free(nest);
}
END_TEST

static Suite *crd_nest_suite(void)
{
    Suite *suite = suite_create("crd_nest");
    TCase *cases = tcase_create("crd_nest");
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, rates);
    tcase_add_test(cases, lengths);
    tcase_add_test(cases, other_laws);
    suite_add_tcase(suite, cases);
    return suite;
}

SUITE_MAIN(crd_nest_suite())

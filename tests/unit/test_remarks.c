/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Remarks, advice and the report on a file, through the C interface: limits, what is not predicted,
 * and every place where memory may run out.
 */
#include "pluss.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_mem.h"
#include "suite.h"

static const char text[] = "pluss-nest 1\n"
                           "region walk \"walk.c\":1\n"
                           "symbol n\n"
                           "array f64 A[][n], S[]\n"
                           "parallel for j in 0..n @3 {\n"
                           "  for i in 0..n @4 { write A[i][j] @5 }\n"
                           "}\n"
                           "parallel { workshare for k in 0..n * n @7 { write S[$thread] @8 } }\n";

static pluss_options *options(pluss_context *ctx, bool bound)
{
    pluss_options *o = NULL;
    ck_assert_int_eq(pluss_options_new(ctx, &o), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set(ctx, o, "threads", "1,2"), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set(ctx, o, "cache", "L1=1K:ways=4,L2=8K:ways=4:shared"),
                     PLUSS_OK);
    if (bound)
        ck_assert_int_eq(pluss_options_set_binding(ctx, o, "n", 70), PLUSS_OK);
    return o;
}

typedef struct written {
    char text[8192];
    size_t length;
} written;

static int keep(void *user, const char *data, size_t length)
{
    written *w = user;
    ck_assert_uint_lt(w->length + length, sizeof w->text);
    memcpy(w->text + w->length, data, length);
    w->length += length;
    w->text[w->length] = '\0';
    return 0;
}

static char path[64];

static void set_up(void)
{
    strcpy(path, "/tmp/remarks-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void tear_down(void)
{
    unlink(path);
}

static pluss_status put_nest(pluss_context *ctx, pluss_nests **out)
{
    return pluss_nests_read(ctx, path, out);
}

/* The remarks as CSV. */
static pluss_severity remark(const char *name, const char *value, bool bound, written *out)
{
    pluss_context *ctx = NULL;
    pluss_nests *nests = NULL;
    pluss_report *report = NULL;
    pluss_severity worst = PLUSS_ERROR;
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    pluss_options *o = options(ctx, bound);
    if (name)
        ck_assert_int_eq(pluss_options_set(ctx, o, name, value), PLUSS_OK);
    ck_assert_int_eq(put_nest(ctx, &nests), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_remark(ctx, nests, o, &worst, &report), PLUSS_OK);
    *out = (written){.length = 0};
    ck_assert_int_eq(pluss_report_write(ctx, report, "csv", NULL, keep, out), PLUSS_OK);
    pluss_report_free(report);
    pluss_nests_free(nests);
    pluss_options_free(o);
    pluss_context_free(ctx);
    return worst;
}

static size_t count_lines(const written *w)
{
    size_t n = 0;
    for (const char *s = w->text; (s = strchr(s, '\n')); s++)
        n++;
    return n;
}

START_TEST(a_line_for_each_loop)
{
    written w;
    ck_assert_int_eq(remark(NULL, NULL, true, &w), PLUSS_NOTE);
    ck_assert_uint_eq(count_lines(&w), 3); /* with the names */
    ck_assert_ptr_nonnull(strstr(w.text, "note,walk.c,3,"));
    ck_assert_ptr_nonnull(strstr(w.text, "note,walk.c,7,"));
    ck_assert_ptr_nonnull(strstr(w.text, "A[i][j], column-wise; interchange loops j and i: "));
    ck_assert_ptr_nonnull(strstr(w.text, "S[$thread], false sharing"));
    ck_assert_ptr_nonnull(strstr(w.text, "(T=1), "));
}
END_TEST

START_TEST(limits)
{
    written w;
    ck_assert_int_eq(remark("warn", "20%@L1", true, &w), PLUSS_WARNING);
    ck_assert_ptr_nonnull(strstr(w.text, "warning,walk.c,3,"));
    ck_assert_ptr_nonnull(strstr(w.text, "above 20 %"));
    ck_assert_int_eq(remark("fail", "20%", true, &w), PLUSS_ERROR);
    ck_assert_int_eq(remark("fail", "100%", true, &w), PLUSS_NOTE); /* nothing is above */
    ck_assert_int_eq(remark("fail", "1%@L7", true, &w), PLUSS_WARNING);
    ck_assert_ptr_nonnull(strstr(w.text, "not predicted: there is no level 'L7'"));
}
END_TEST

START_TEST(limits_that_are_none)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "5",
                                      "5%@",
                                      "%",
                                      "5%@L1,",
                                      "-1%",
                                      "5%@LONGER_THAN_A_NAME",
                                      "nan%",
                                      "5%L1",
                                      "1%,2%,",
                                      "1%,1%,1%,1%,1%,1%,1%,1%,1%,1%,"
                                      "1%,1%,1%,1%,1%,1%,1%"};
    pluss_context *ctx = NULL;
    pluss_options *o = NULL;
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    ck_assert_int_eq(pluss_options_new(ctx, &o), PLUSS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(pluss_options_set(ctx, o, "warn", bad[i]) == PLUSS_EINVAL, "'%s'", bad[i]);
    pluss_options_free(o);
    pluss_context_free(ctx);
}
END_TEST

START_TEST(without_values)
{
    written w;
    ck_assert_int_eq(remark(NULL, NULL, false, &w), PLUSS_NOTE);
    ck_assert_uint_eq(count_lines(&w), 2);
    ck_assert_ptr_nonnull(strstr(w.text, "note,walk.c,1,"));
    ck_assert_ptr_nonnull(strstr(w.text, "not predicted: no values of n"));
}
END_TEST

/* ---- memory -----------------------------------------------------------------------------------
 */

static pluss_status remark_all(pluss_context *ctx, pluss_nests *nests, pluss_options *o)
{
    pluss_severity worst;
    pluss_report *report = NULL;
    pluss_status status = pluss_nests_remark(ctx, nests, o, &worst, &report);
    pluss_report_free(report);
    return status;
}

static pluss_status advise_all(pluss_context *ctx, pluss_nests *nests, pluss_options *o)
{
    pluss_advice *advice = NULL;
    pluss_report *report = NULL;
    pluss_status status = pluss_nests_advise(ctx, nests, o, &advice);
    if (!status)
        status = pluss_advice_put_times(ctx, advice, 2, 1, 5);
    if (!status)
        status = pluss_advice_report(ctx, advice, "walk.nest", &report);
    pluss_report_free(report);
    pluss_advice_free(advice);
    return status;
}

static pluss_status report_all(pluss_context *ctx, pluss_nests *nests, pluss_options *o)
{
    const pluss_nests *all[] = {nests};
    pluss_result *result = NULL;
    pluss_report *report = NULL;
    pluss_status status = pluss_nests_predict(ctx, nests, o, &result);
    const pluss_overview_options overview = {
        .size = sizeof overview, .nests = all, .n_nests = 1, .advised = 1, .options = o};
    if (!status)
        status = pluss_overview_report(ctx, result, &overview, &report);
    pluss_report_free(report);
    pluss_result_free(result);
    return status;
}

static pluss_status derive_all(pluss_context *ctx, pluss_nests *nests, pluss_options *o)
{
    pluss_result *result = NULL;
    pluss_status status = pluss_nests_predict(ctx, nests, o, &result);
    if (!status)
        status = pluss_result_derive_levels(ctx, result, o);
    pluss_result_free(result);
    return status;
}

/* Wherever memory runs out, that is the status, and nothing stays. */
START_TEST(out_of_memory)
{
    pluss_status (*const call[])(pluss_context *, pluss_nests *, pluss_options *) = {
        remark_all, advise_all, report_all, derive_all};
    pluss_context *rich = NULL;
    ck_assert_int_eq(pluss_context_new(NULL, &rich), PLUSS_OK);
    pluss_options *o = options(rich, true);
    /* nearly as many allocations as for 70, with an eighth of the accesses */
    ck_assert_int_eq(pluss_options_set_binding(rich, o, "n", 24), PLUSS_OK);
    if (call[_i] == derive_all)
        ck_assert_int_eq(pluss_options_set(rich, o, "profiles", "1"), PLUSS_OK);
    for (long budget = 0;; budget += 1 + budget / 6) {
        failing_mem m;
        const pluss_context_options co = {
            .size = sizeof co, .resize = failing_resize, .resize_user = &m};
        pluss_context *poor = NULL;
        pluss_nests *nests = NULL;
        failing_mem_init(&m, budget);
        pluss_status status = pluss_context_new(&co, &poor);
        if (!status)
            status = put_nest(poor, &nests);
        if (!status)
            status = call[_i](poor, nests, o);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        pluss_nests_free(nests);
        if (poor)
            pluss_context_free(poor);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    pluss_options_free(o);
    pluss_context_free(rich);
}
END_TEST

START_TEST(times_that_are_none)
{
    pluss_context *ctx = NULL;
    pluss_nests *nests = NULL;
    pluss_advice *advice = NULL;
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    pluss_options *o = options(ctx, true);
    ck_assert_int_eq(put_nest(ctx, &nests), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_advise(ctx, nests, o, &advice), PLUSS_OK);
    ck_assert_int_eq(pluss_advice_put_times(ctx, advice, 0, 1, 5), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_advice_put_times(ctx, advice, 1, -1, 5), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_advice_put_times(ctx, advice, 1.0 / 0.0, 1, 5), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_advice_put_times(ctx, advice, 1, 1, 0), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_advice_put_times(ctx, NULL, 1, 1, 5), PLUSS_EINVAL);
    pluss_advice_free(advice);
    pluss_nests_free(nests);
    pluss_options_free(o);
    pluss_context_free(ctx);
}
END_TEST

/* Of one thread and a fully associative cache, a curve and its profile have the exact misses, of
 * each reference, too. */
START_TEST(levels_of_curves)
{
    pluss_context *ctx = NULL;
    pluss_nests *nests = NULL;
    pluss_result *counted = NULL, *derived = NULL;
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    pluss_options *o = options(ctx, true);
    ck_assert_int_eq(pluss_options_set(ctx, o, "threads", "1"), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set(ctx, o, "cache", "L1=4K:ways=full"), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set(ctx, o, "profiles", "1"), PLUSS_OK);
    ck_assert_int_eq(put_nest(ctx, &nests), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_simulate(ctx, nests, o, &counted), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_simulate(ctx, nests, o, &derived), PLUSS_OK);
    ck_assert_int_eq(pluss_result_derive_levels(ctx, derived, o), PLUSS_OK);
    pluss_level_info a = {.size = sizeof a}, b = {.size = sizeof b};
    size_t n_references = 0;
    for (size_t i = 0; !pluss_result_get_level(counted, i, &a); i++) {
        pluss_level_reference x = {.size = sizeof x}, y = {.size = sizeof y};
        ck_assert_int_eq(pluss_result_get_level(derived, i, &b), PLUSS_OK);
        ck_assert_str_eq(a.name, b.name);
        ck_assert_double_gt(a.misses.misses, 0);
        ck_assert_double_eq_tol(a.misses.misses, b.misses.misses, 1e-6);
        ck_assert_double_eq_tol(a.accesses, b.accesses, 1e-6);
        for (size_t k = 0; !pluss_result_get_level_reference(counted, i, k, &x); k++) {
            ck_assert_int_eq(pluss_result_get_level_reference(derived, i, k, &y), PLUSS_OK);
            ck_assert_str_eq(x.reference, y.reference);
            ck_assert_double_eq_tol(x.misses.misses, y.misses.misses, 1e-6);
            n_references++;
        }
    }
    ck_assert_uint_eq(n_references, 2);
    ck_assert_int_ne(pluss_result_get_level(derived, 2, &b), PLUSS_OK);
    /* without caches nothing changes; a result is needed */
    ck_assert_int_eq(pluss_result_derive_levels(ctx, derived, NULL), PLUSS_OK);
    ck_assert_int_eq(pluss_result_derive_levels(ctx, NULL, o), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_result_derive_levels(NULL, derived, o), PLUSS_EINVAL);
    /* no curve is of caches that two of four threads share */
    ck_assert_int_eq(pluss_options_set(ctx, o, "threads", "4"), PLUSS_OK);
    pluss_result_free(derived);
    ck_assert_int_eq(pluss_nests_simulate(ctx, nests, o, &derived), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set(ctx, o, "cache", "L1=4K:ways=full:shared=2"), PLUSS_OK);
    ck_assert_int_eq(pluss_result_derive_levels(ctx, derived, o), PLUSS_ENOTFOUND);
    pluss_result_free(counted);
    pluss_result_free(derived);
    pluss_nests_free(nests);
    pluss_options_free(o);
    pluss_context_free(ctx);
}
END_TEST

static Suite *remarks_suite(void)
{
    Suite *s = suite_create("remarks");
    TCase *c = tcase_create("remarks");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 240);
    tcase_add_test(c, a_line_for_each_loop);
    tcase_add_test(c, limits);
    tcase_add_test(c, limits_that_are_none);
    tcase_add_test(c, without_values);
    tcase_add_test(c, times_that_are_none);
    tcase_add_test(c, levels_of_curves);
    tcase_add_loop_test(c, out_of_memory, 0, 4);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(remarks_suite())

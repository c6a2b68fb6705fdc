/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calibration, and rates with those of loops, through the C interface.
 */
#include "pluss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_mem.h"
#include "suite.h"
#include "trace_file.h"

static const char text[] = "pluss-nest 1\n"
                           "region gemm\n"
                           "array f64 A[48][48], B[48][48], C[48][48]\n"
                           "parallel for i in 0..48 {\n"
                           "  for j in 0..48 {\n"
                           "    for k in 0..48 {\n"
                           "      read A[i][k]\n"
                           "      read B[k][j]\n"
                           "      write C[i][j]\n"
                           "    }\n"
                           "  }\n"
                           "}\n";

enum { PIECES = PLUSS_RATES_PIECES };
static const double rates[] = {1.2, .8}, costs[2 * PIECES] = {.5, .2, 0, 0, 0, 0, -.2, -.5};
static const pluss_loop_rates loop = {0, rates, costs};
static const pluss_progress fitted = {.size = sizeof fitted,
                                      .law = "rates",
                                      .sigma = .02,
                                      .skew = 400,
                                      .skew_spread = .5,
                                      .rates = rates,
                                      .n_rates = 2,
                                      .stall_rate = 1e-5,
                                      .stall = 1000,
                                      .loops = &loop,
                                      .n_loops = 1,
                                      .origin = "a test"};

static pluss_context *ctx;
static pluss_nest *nest;
static pluss_options *made;

static void set_up(void)
{
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    ck_assert_int_eq(pluss_nest_parse(ctx, text, strlen(text), NULL, &nest), PLUSS_OK);
}

/* Files that the tear-down removes, with their sidecar files. */
static char made_files[4][64];

static void remember(const char *path)
{
    size_t i = 0;
    while (*made_files[i])
        i++;
    snprintf(made_files[i], sizeof made_files[i], "%s", path);
}

static void tear_down(void)
{
    for (size_t i = 0; i < sizeof made_files / sizeof *made_files && *made_files[i]; i++) {
        unlink(made_files[i]);
        unlink(trace_of(made_files[i]));
    }
    pluss_options_free(made);
    made = NULL;
    pluss_nest_free(nest);
    pluss_context_free(ctx);
}

/* Freed by the tear-down. */
static pluss_options *options(uint32_t team, int64_t seed)
{
    pluss_options_free(made);
    made = NULL;
    ck_assert_int_eq(pluss_options_new(ctx, &made), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set_threads(ctx, made, &team, 1), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set_integer(ctx, made, "seed", seed), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set_progress(ctx, made, &fitted), PLUSS_OK);
    return made;
}

static const char *engine(const pluss_result *result)
{
    pluss_curve_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(result, 0), &info), PLUSS_OK);
    return info.engine;
}

/* ---- rates with loops ------------------------------------------------------------------------
 */

static void add(const pluss_result *result, double *sum)
{
    for (size_t i = 0; i < 48; i++)
        sum[i] += pluss_curve_at(pluss_result_get(result, 0), 64 * (16 + 16 * i));
}

START_TEST(predicted_as_walked)
{
    enum { SEEDS = 24 };
    double predicted[48] = {0}, walked[48] = {0}, uniform[48] = {0}, off = 0, moved = 0;
    for (int64_t seed = 1; seed <= SEEDS; seed++) {
        pluss_result *result = NULL;
        pluss_options *o = options(2, seed);
        ck_assert_int_eq(pluss_simulate(ctx, nest, o, &result), PLUSS_OK);
        ck_assert_str_eq(engine(result), "rates:0.02:400:0.5+rates+stalls+loops of a test");
        add(result, walked);
        pluss_result_free(result);
        ck_assert_int_eq(pluss_options_set_progress(ctx, o, NULL), PLUSS_OK);
        ck_assert_int_eq(pluss_simulate(ctx, nest, o, &result), PLUSS_OK);
        add(result, uniform);
        pluss_result_free(result);
    }
    for (int64_t seed = 1; seed <= 4; seed++) {
        pluss_result *result = NULL;
        pluss_options *o = options(2, seed);
        ck_assert_int_eq(pluss_predict(ctx, nest, o, &result), PLUSS_OK);
        ck_assert_str_eq(engine(result), "clock, rates:0.02:400:0.5+rates+stalls+loops of a test");
        add(result, predicted);
        pluss_result_free(result);
    }
    for (size_t i = 0; i < 48; i++) {
        off += fabs(predicted[i] / 4 - walked[i] / SEEDS) / 48;
        moved += fabs(uniform[i] / SEEDS - walked[i] / SEEDS) / 48;
    }
    ck_assert_msg(off < .006 && moved > 2 * off, "off by %g, moved by %g", off, moved);
}
END_TEST

START_TEST(of_another_team)
{
    pluss_result *result = NULL;
    pluss_options *o = options(4, 1);
    ck_assert_int_eq(pluss_simulate(ctx, nest, o, &result), PLUSS_OK);
    pluss_result_free(result);
    ck_assert_int_eq(pluss_predict(ctx, nest, o, &result), PLUSS_OK);
    pluss_result_free(result);
}
END_TEST

/* 200,000 phases of two threads in 16 draws: the region's rates alone, with a warning. */
START_TEST(too_many_phases)
{
    static const char many[] = "pluss-nest 1 region r array f64 A[64] "
                               "for t in 0..100000 { parallel for i in 0..64 { read A[i] } "
                               "parallel for i in 0..64 { write A[i] } }";
    pluss_nest *long_nest = NULL;
    pluss_result *result = NULL;
    pluss_diagnostic d = {.size = sizeof d};
    pluss_options *o = options(2, 1);
    ck_assert_int_eq(pluss_nest_parse(ctx, many, strlen(many), NULL, &long_nest), PLUSS_OK);
    pluss_context_clear(ctx);
    ck_assert_int_eq(pluss_predict(ctx, long_nest, o, &result), PLUSS_OK);
    ck_assert_int_eq(pluss_context_diagnostic(ctx, 0, &d), PLUSS_OK);
    ck_assert_int_eq(d.severity, PLUSS_WARNING);
    ck_assert_msg(strstr(d.text, "too many phases"), "%s", d.text);
    pluss_result_free(result);
    pluss_nest_free(long_nest);
}
END_TEST

static void refused(const pluss_loop_rates *bad, size_t n)
{
    pluss_diagnostic d = {.size = sizeof d};
    pluss_progress s = fitted;
    pluss_options *o = options(2, 1);
    s.loops = bad;
    s.n_loops = n;
    pluss_context_clear(ctx);
    ck_assert_int_eq(pluss_options_set_progress(ctx, o, &s), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_context_diagnostic(ctx, 0, &d), PLUSS_OK);
    ck_assert_msg(strstr(d.text, "loops must have rates between"), "%s", d.text);
}

START_TEST(bad_loops)
{
    const double none[] = {1, 0}, much[2 * PIECES] = {51}, nan[2 * PIECES] = {NAN};
    refused(NULL, 1);
    refused(&(pluss_loop_rates){0, NULL, costs}, 1);
    refused(&(pluss_loop_rates){0, rates, NULL}, 1);
    refused(&(pluss_loop_rates){0, none, costs}, 1);
    refused(&(pluss_loop_rates){0, rates, much}, 1);
    refused(&(pluss_loop_rates){0, rates, nan}, 1);
}
END_TEST

/* ---- calibration ------------------------------------------------------------------------------
 */

enum { ITERATIONS = 24, ACCESSES = ITERATIONS * 48 * 48 * 3 };

/* One run of a thread: an iteration takes 1000 ns, or 2000 of thread 1, which starts 50 later. */
static void put_thread(FILE *out, uint32_t run, uint32_t thread, uint64_t from)
{
    plussi_stamp_entry item[ITERATIONS + 5];
    uint32_t n = 0;
    if (thread == 0)
        item[n++] = (plussi_stamp_entry){from, 0, AT(FORK, NONE), 0};
    from += 100 + 50 * thread;
    item[n++] = (plussi_stamp_entry){from, 0, AT(BEGIN, NONE), 0};
    item[n++] = (plussi_stamp_entry){from, 0, AT(LOOP, 0), 0};
    for (uint64_t i = 1; i <= ITERATIONS; i++, from += thread ? 2000 : 1000)
        item[n++] = (plussi_stamp_entry){from, i, AT(ITER, 0), 0};
    from += run % 2 ? 20 : 0;
    item[n++] = (plussi_stamp_entry){from, ITERATIONS, AT(DONE, 0), 0};
    item[n++] = (plussi_stamp_entry){from, 0, AT(END, NONE), 0};
    put_stamps(out, run, thread, item, n);
}

/* The record of a process with so many runs of the region, and its sidecar file. */
static pluss_record *make_record(uint32_t runs, const char *region)
{
    char path[] = "/tmp/pluss-test-calibrate-XXXXXX";
    pluss_record *record = NULL;
    close(mkstemp(path));
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out,
            "pluss-record 3\nline 64\nregion \"%s\" \"\":0 team 2 runs %u lost 0 by bind\nend\n",
            region, runs);
    fclose(out);
    out = begin_trace(trace_of(path));
    for (uint32_t run = 0; run < runs; run++) {
        const uint64_t from = 1000 + 100000 * run;
        put_thread(out, run, 0, from);
        put_thread(out, run, 1, from);
        put_run(out, run, 2, from - 10, from + 90000, (plussi_run_entry){0, 1});
    }
    put_clock(out, 1, 1000001, 1000000);
    fclose(out);
    ck_assert_int_eq(pluss_record_read(ctx, path, &record), PLUSS_OK);
    remember(path);
    return record;
}

static int append(void *user, const char *data, size_t length)
{
    char *all = user;
    strncat(all, data, length);
    return 0;
}

/* Recorded files in, the machine file out, which predictions take. */
START_TEST(calibrates)
{
    pluss_record *first = make_record(4, "gemm"), *second = make_record(6, "gemm"),
                 *other = make_record(3, "other");
    const pluss_nest *const nests[] = {nest};
    pluss_calibration *calibration = NULL;
    pluss_calibration_info info = {.size = sizeof info},
                           old = {.size = offsetof(pluss_calibration_info, sigma_error)};
    uint64_t runs = 7;
    ck_assert_int_eq(pluss_calibration_new(ctx, NULL, &calibration), PLUSS_OK);
    ck_assert_int_eq(pluss_calibration_count_runs(calibration, &runs), PLUSS_OK);
    ck_assert_uint_eq(runs, 0);
    ck_assert_int_eq(pluss_calibration_add(calibration, first, nests, 1), PLUSS_OK);
    ck_assert_int_eq(pluss_calibration_count_runs(calibration, &runs), PLUSS_OK);
    ck_assert_uint_eq(runs, 4);
    ck_assert_int_eq(pluss_calibration_add(calibration, second, nests, 1), PLUSS_OK);
    /* that no nest is of is told, and left out */
    pluss_context_clear(ctx);
    ck_assert_int_eq(pluss_calibration_add(calibration, other, nests, 1), PLUSS_OK);
    ck_assert_uint_ge(pluss_context_diagnostic_count(ctx), 1);
    ck_assert_uint_eq(pluss_calibration_count(calibration), 1);
    ck_assert_int_eq(pluss_calibration_get(calibration, 0, &info), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibration_finish(calibration), PLUSS_OK);
    ck_assert_int_eq(pluss_calibration_finish(calibration), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibration_add(calibration, first, nests, 1), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibration_get(calibration, 0, &info), PLUSS_OK);
    ck_assert_int_eq(pluss_calibration_get(calibration, 1, &info), PLUSS_ENOTFOUND);
    ck_assert_str_eq(info.region, "gemm");
    ck_assert_str_eq(info.file, "");
    ck_assert_uint_eq(info.team, 2);
    ck_assert_uint_eq(info.runs, 10);
    ck_assert_uint_eq(info.discarded, 0);
    ck_assert_double_lt(info.progress->sigma, .02);
    ck_assert_double_gt(info.progress->sigma, 0);
    ck_assert_uint_eq(info.progress->n_loops, 1);
    ck_assert_uint_eq(info.progress->loops[0].loop, 0);
    ck_assert_double_eq_tol(info.progress->rates[0], sqrt(2), .01);
    ck_assert_double_eq_tol(info.progress->loops[0].rates[1], sqrt(.5), .01);
    const double slow = 2000. * ITERATIONS / ACCESSES, fast = slow / 2; /* ns an access */
    ck_assert_double_eq_tol(info.progress->skew, 50 / sqrt(slow * fast), 2);
    ck_assert_double_eq_tol(info.access_ns, (slow + fast) / 2, .001);
    ck_assert(info.access_error > 0 && info.access_error < .01);
    ck_assert_int_eq(pluss_calibration_get(calibration, 0, &old), PLUSS_OK);
    ck_assert_uint_eq(old.runs, 10);
    ck_assert_double_eq(old.sigma_error, 0);
    ck_assert_double_eq(old.access_ns, 0);
    /* and is what predict takes */
    pluss_options *o = options(2, 1);
    pluss_result *result = NULL;
    ck_assert_int_eq(pluss_options_set_progress(ctx, o, info.progress), PLUSS_OK);
    ck_assert_int_eq(pluss_predict(ctx, nest, o, &result), PLUSS_OK);
    pluss_result_free(result);
    /* through the machine file, too */
    static char json[1 << 16];
    pluss_machine_file *file = NULL, *again = NULL;
    pluss_machine_file_info whole = {.size = sizeof whole};
    const pluss_calibrated_by by = {.size = sizeof by, .command = "test", .slice_ns = 3e6},
                              short_slice = {.size = sizeof by, .slice_ns = 5};
    ck_assert_int_eq(pluss_machine_file_read(ctx, NULL, &file), PLUSS_OK);
    ck_assert_int_eq(pluss_machine_file_put(ctx, file, calibration, &short_slice), PLUSS_ERANGE);
    ck_assert_int_eq(pluss_machine_file_put(ctx, file, calibration, &by), PLUSS_OK);
    ck_assert_int_eq(pluss_machine_file_write(ctx, file, append, json), PLUSS_OK);
    char path[] = "/tmp/pluss-test-calibrate-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, json, strlen(json)), (ssize_t)strlen(json));
    close(fd);
    ck_assert_int_eq(pluss_machine_file_read(ctx, path, &again), PLUSS_OK);
    ck_assert_int_eq(pluss_machine_file_get_info(again, &whole), PLUSS_OK);
    ck_assert_uint_eq(whole.n_regions, 1);
    ck_assert_double_eq(whole.slice_ns, 3e6);
    ck_assert_double_eq_tol(whole.skew, info.progress->skew, 1e-6 * whole.skew);
    ck_assert_int_eq(pluss_options_set(ctx, o, "machine", path), PLUSS_OK);
    ck_assert_int_eq(pluss_options_set(ctx, o, "progress", "rates"), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, nest, o, &result), PLUSS_OK);
    ck_assert_ptr_nonnull(strstr(engine(result), "+rates+loops of pluss-test-calibrate-"));
    pluss_result_free(result);
    pluss_report *report = NULL;
    static char words[1 << 12];
    ck_assert_int_eq(pluss_calibration_report(calibration, again, "machine.json", &report),
                     PLUSS_OK);
    ck_assert_int_eq(pluss_report_write(ctx, report, "text", NULL, append, words), PLUSS_OK);
    ck_assert_ptr_nonnull(strstr(words, "2 threads: 10 runs"));
    ck_assert_ptr_nonnull(strstr(words, "All regions of machine.json together"));
    pluss_report_free(report);
    unlink(path);
    pluss_machine_file_free(file);
    pluss_machine_file_free(again);
    pluss_calibration_free(calibration);
    pluss_record_free(first);
    pluss_record_free(second);
    pluss_record_free(other);
}
END_TEST

START_TEST(regions_that_are_wanted)
{
    pluss_record *record = make_record(4, "gemm");
    const pluss_nest *const nests[] = {nest};
    pluss_calibration *calibration = NULL;
    pluss_options *o = options(2, 1);
    ck_assert_int_eq(pluss_options_set(ctx, o, "region", "other"), PLUSS_OK);
    ck_assert_int_eq(pluss_calibration_new(ctx, o, &calibration), PLUSS_OK);
    ck_assert_int_eq(pluss_calibration_add(calibration, record, nests, 1), PLUSS_OK);
    ck_assert_uint_eq(pluss_calibration_count(calibration), 0);
    ck_assert_int_eq(pluss_calibration_finish(calibration), PLUSS_ENOTFOUND);
    pluss_calibration_free(calibration);
    pluss_record_free(record);
}
END_TEST

START_TEST(out_of_memory)
{
    for (long budget = 0;; budget += 1 + budget / 64) {
        failing_mem m;
        pluss_context_options co = {.size = sizeof co, .resize = failing_resize, .resize_user = &m};
        pluss_context *poor = NULL;
        pluss_nest *n = NULL;
        pluss_result *result = NULL;
        pluss_options *o = options(2, 1);
        failing_mem_init(&m, budget);
        pluss_status status = pluss_context_new(&co, &poor);
        if (!status)
            status = pluss_nest_parse(poor, text, strlen(text), NULL, &n);
        if (!status)
            status = pluss_simulate(poor, n, o, &result);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        pluss_result_free(result);
        pluss_nest_free(n);
        if (poor)
            pluss_context_free(poor);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *calibrate_calls_suite(void)
{
    Suite *s = suite_create("calibrate_calls");
    TCase *c = tcase_create("calls");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, predicted_as_walked);
    tcase_add_test(c, of_another_team);
    tcase_add_test(c, too_many_phases);
    tcase_add_test(c, bad_loops);
    tcase_add_test(c, calibrates);
    tcase_add_test(c, regions_that_are_wanted);
    tcase_add_test(c, out_of_memory);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(calibrate_calls_suite())

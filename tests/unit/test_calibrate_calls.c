/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calibration, and rates with those of loops, through the C interface.
 */
#include "ffi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing_mem.h"
#include "suite.h"

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

static void tear_down(void)
{
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

/* So many runs of a phase of 1000 accesses a thread, thread 1 half as fast. */
static pluss_timelines *make_timelines(size_t runs)
{
    pluss_timelines *timeline = calloc(1, sizeof *timeline);
    plussi_timelines *p = calloc(1, sizeof *p);
    plussi_arena_init(&p->arena, &plussi_mem_libc);
    p->n = runs;
    p->run = plussi_arena_alloc(&p->arena, runs + 1, sizeof *p->run);
    for (size_t r = 0; r < runs; r++) {
        plussi_timeline_phase *phase = plussi_arena_alloc(&p->arena, 1, sizeof *phase);
        p->run[r] = (plussi_timeline){.n_phases = 1, .phase = phase};
        phase->team = 2;
        phase->loop = 3;
        phase->thread = plussi_arena_alloc(&p->arena, 2, sizeof *phase->thread);
        for (size_t k = 0; k < 2; k++) {
            double start = k ? 50 : 0, end = start + (k ? 2000 : 1000) + (r % 2 ? 20 : 0);
            phase->thread[k].n = 2;
            phase->thread[k].point =
                plussi_arena_alloc(&p->arena, 2, sizeof *phase->thread[k].point);
            phase->thread[k].point[0] = (plussi_timeline_point){start, 0};
            phase->thread[k].point[1] = (plussi_timeline_point){end, 1000};
        }
    }
    *timeline = (pluss_timelines){plussi_mem_libc, p};
    return timeline;
}

START_TEST(calibrates)
{
    pluss_timelines *timeline[] = {make_timelines(4), make_timelines(6)};
    pluss_calibration *calibration = NULL;
    pluss_calibration_info info = {.size = sizeof info},
                           old = {.size = offsetof(pluss_calibration_info, sigma_error)};
    ck_assert_int_eq(
        pluss_calibrate(ctx, (const pluss_timelines *const *)timeline, 2, &calibration), PLUSS_OK);
    ck_assert_int_eq(pluss_calibration_get_info(calibration, &info), PLUSS_OK);
    ck_assert_uint_eq(info.team, 2);
    ck_assert_uint_eq(info.runs, 10);
    ck_assert_uint_eq(info.discarded, 0);
    ck_assert_double_lt(info.progress->sigma, .02);
    ck_assert_double_gt(info.progress->sigma, 0);
    ck_assert_uint_eq(info.progress->n_loops, 1);
    ck_assert_uint_eq(info.progress->loops[0].loop, 3);
    ck_assert_double_eq_tol(info.progress->rates[0], sqrt(2), .01);
    ck_assert_double_eq_tol(info.progress->loops[0].rates[1], sqrt(.5), .01);
    ck_assert_double_eq_tol(info.progress->skew, 50 / sqrt(2), 1);
    ck_assert_double_eq_tol(info.access_ns, 3 / 2., .02); /* 1000 and 2000 ns of 1000 each */
    ck_assert(info.access_error > 0 && info.access_error < .01);
    ck_assert_int_eq(pluss_calibration_get_info(calibration, &old), PLUSS_OK);
    ck_assert_uint_eq(old.runs, 10);
    ck_assert_double_eq(old.sigma_error, 0);
    ck_assert_double_eq(old.access_ns, 0);
    /* and is what predict takes */
    pluss_options *o = options(2, 1);
    pluss_result *result = NULL;
    ck_assert_int_eq(pluss_options_set_progress(ctx, o, info.progress), PLUSS_OK);
    ck_assert_int_eq(pluss_predict(ctx, nest, o, &result), PLUSS_OK);
    pluss_result_free(result);
    pluss_calibration_free(calibration);
    pluss_timelines_free(timeline[0]);
    pluss_timelines_free(timeline[1]);
}
END_TEST

START_TEST(faults)
{
    pluss_timelines *empty = make_timelines(0);
    const pluss_timelines *list[] = {empty, NULL};
    pluss_calibration *calibration = NULL;
    pluss_calibration_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_calibrate(NULL, list, 1, &calibration), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibrate(ctx, list, 1, NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibrate(ctx, NULL, 1, &calibration), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibrate(ctx, list, 2, &calibration), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibrate(ctx, list, 0, &calibration), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibrate(ctx, list, 1, &calibration), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_calibration_get_info(NULL, &info), PLUSS_EINVAL);
    ck_assert_ptr_null(calibration);
    pluss_calibration_free(NULL);
    pluss_timelines_free(empty);
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
    tcase_add_test(c, faults);
    tcase_add_test(c, out_of_memory);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(calibrate_calls_suite())

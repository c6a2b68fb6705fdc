/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model clock with the progress of real threads, rates with all that they have and recorded
 * timelines, against exact curves of the same law.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/failing_mem.h"
#include "../unit/one_nest.h"
#include "../unit/suite.h"
#include "exact/lru.h"
#include "model/clock.h"
#include "team/rates.h"
#include "trace/walk.h"

enum { MOST_SIZES = 128, MOST_LINES = 4096 };

static const char *const program[] = {
    "array f64 A[40][44], B[44][40], C[40][40]\n"
    "parallel for i in 0..40 { for j in 0..40 { read C[i][j] write C[i][j] for k in 0..44 {"
    " read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }",
    "array f64 C[48][48], A[48][30]\n"
    "parallel for i in 0..48 { for j in 0..i+1 { read C[i][j] write C[i][j] } for k in 0..30 {"
    " for j in 0..i+1 { read A[i][k] read A[j][k] read C[i][j] write C[i][j] } } }",
    "array f64 A[48][48], B[48][48]\n"
    "for t in 0..6 { parallel for i in 1..47 { for j in 1..47 { read A[i][j] read A[i][j-1]"
    " read A[i][j+1] read A[i-1][j] read A[i+1][j] write B[i][j] } } parallel for i in 1..47 {"
    " for j in 1..47 { read B[i][j] write A[i][j] } } }",
};
enum { PROGRAMS = sizeof program / sizeof *program };

static void load_scheduled(const char *text, uint32_t team, plussi_schedule_kind schedule,
                           int64_t chunk)
{
    char all[2048];
    snprintf(all, sizeof all, "pluss-nest 1\nregion r\n%s", text);
    pluss_status status = plussi_nest_parse(&ctx, all, strlen(all), "test", &nest);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "no memory");
    plussi_bind_options options = {.team = team,
                                   .line_bytes = 64,
                                   .schedule = schedule,
                                   .chunk = chunk,
                                   .force_schedule = true};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
}

static void load(const char *text, uint32_t team, int64_t chunk)
{
    load_scheduled(text, team, PLUSSI_SCHED_STATIC, chunk);
}

/* ---- exact curves ------------------------------------------------------------------------------
 */

/* Over runs: mean miss ratio and its standard deviation at the strict grid's sizes. */
typedef struct truth {
    uint32_t runs;
    size_t n;
    double size[MOST_SIZES], mean[MOST_SIZES], squares[MOST_SIZES];
} truth;

static void add_curve(truth *t, plussi_walk *walk, plussi_merge *merge)
{
    static double hits[MOST_LINES];
    plussi_lru *lru;
    plussi_access buf[256];
    double accesses = 0, sum = 0;
    memset(hits, 0, sizeof hits);
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    for (size_t n; (n = plussi_merge_next(merge, buf, 256)) > 0; accesses += (double)n)
        for (size_t i = 0; i < n; i++) {
            uint64_t d = plussi_lru_touch(lru, buf[i].line);
            if (d < MOST_LINES)
                hits[d]++;
        }
    if (t->n == 0) {
        uint64_t *size;
        ck_assert_int_eq(plussi_grid_sizes(&ctx, PLUSSI_GRID_STRICT, plussi_lru_footprint(lru), 64,
                                           &size, &t->n),
                         PLUSS_OK);
        ck_assert_uint_le(t->n, MOST_SIZES);
        for (size_t i = 0; i < t->n; i++)
            t->size[i] = (double)size[i];
        plussi_free(&ctx.mem, size);
    }
    t->runs++;
    uint64_t at = 0;
    for (size_t i = 0; i < t->n; i++) {
        while ((double)at < t->size[i])
            sum += hits[at++];
        double d = 1 - sum / accesses - t->mean[i];
        t->mean[i] += d / t->runs;
        t->squares[i] += d * (1 - sum / accesses - t->mean[i]);
    }
    plussi_lru_free(lru);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
}

static double deviation(const truth *t, size_t i)
{
    return sqrt(t->squares[i] / (t->runs - 1));
}

static void exact_law(truth *t, const plussi_progress *of, uint32_t seeds)
{
    memset(t, 0, sizeof *t);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        plussi_walk *walk;
        plussi_merge *merge;
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
        ck_assert_int_eq(plussi_merge_new(&ctx, walk, of, seed, &merge), PLUSS_OK);
        add_curve(t, walk, merge);
    }
}

static void exact_uniform(truth *t, uint32_t seeds)
{
    memset(t, 0, sizeof *t);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        plussi_walk *walk;
        plussi_merge *merge;
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
        ck_assert_int_eq(plussi_merge_new(&ctx, walk, &(plussi_progress){0}, seed + 1000, &merge),
                         PLUSS_OK);
        add_curve(t, walk, merge);
    }
}

/* Mean absolute differences, and what the model says of them. */
typedef struct outcome {
    double off, stated, spread, deviation;
} outcome;

static outcome compare(const truth *t, const plussi_clock_options *options)
{
    plussi_clock_result r;
    outcome o = {0};
    pluss_status status = plussi_clock(&ctx, bound, options, &r);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "?");
    ck_assert_uint_eq(r.estimate.n_points, t->n);
    for (size_t i = 0; i < t->n; i++) {
        double own = deviation(t, i), n = (double)t->n;
        ck_assert_double_eq(r.estimate.size[i], t->size[i]);
        o.off += fabs(plussi_mrc_at(&r.estimate.mrc, t->size[i]) - t->mean[i]) / n;
        /* the exact curves are a sample, too */
        o.stated += sqrt(r.estimate.error[i] * r.estimate.error[i] + own * own / t->runs) / n;
        o.deviation += own / n;
        o.spread += r.estimate.spread ? r.estimate.spread[i] / n : 0;
    }
    plussi_estimate_free(&r.estimate);
    return o;
}

static plussi_clock_options options_of(plussi_progress_law law)
{
    plussi_clock_options options = plussi_clock_defaults();
    options.progress.law = law;
    options.form = PLUSSI_CLOCK_SD;
    options.replications = 16;
    options.pilot *= 2;
    options.samples *= 2;
    return options;
}

/* ---- rates -------------------------------------------------------------------------------------
 */

static const double rates[] = {1.15, .9, 1, 1};
static const plussi_progress law[] = {
    {.law = PLUSSI_PROGRESS_RATES, .sigma = .03, .skew = 500, .skew_spread = 1},
    {.law = PLUSSI_PROGRESS_RATES,
     .sigma = .1,
     .skew = 100,
     .skew_spread = .5,
     .rate = rates,
     .n_rates = 2},
    {.law = PLUSSI_PROGRESS_RATES,
     .sigma = .02,
     .skew = 200,
     .skew_spread = 1,
     .stall_rate = 2e-4,
     .stall = 400},
};
enum { LAWS = sizeof law / sizeof *law };

/* Two threads, four: the mean over runs is met within what the model says of itself, on average
 * over predictions: the errors at all sizes of one go together. */
START_TEST(drawn_rates)
{
    enum { SEEDS = 4 };
    static truth t;
    const int turn = suite_turn(_i, 2 * PROGRAMS * LAWS);
    const char *text = program[turn % PROGRAMS];
    const plussi_progress *of = &law[turn / PROGRAMS % LAWS];
    uint32_t team = turn / PROGRAMS / LAWS ? 4 : 2;
    load(text, team, 0);
    exact_law(&t, of, 60);
    plussi_clock_options options = options_of(PLUSSI_PROGRESS_RATES);
    options.progress = *of;
    double off = 0, stated = 0;
    for (options.seed = 1; options.seed <= SEEDS; options.seed++) {
        outcome o = compare(&t, &options);
        off += o.off * o.off / SEEDS;
        stated += o.stated * o.stated / SEEDS;
        /* from run to run */
        ck_assert_msg(fabs(o.spread - o.deviation) < .4 * o.deviation + .002,
                      "program %d, law %d, %u threads: spread %.2f points, not %.2f",
                      turn % PROGRAMS, turn / PROGRAMS % LAWS, team, 100 * o.spread,
                      100 * o.deviation);
    }
    ck_assert_msg(off < stated, "program %d, law %d, %u threads: off by %.2f points, %.2f stated",
                  turn % PROGRAMS, turn / PROGRAMS % LAWS, team, 100 * sqrt(off),
                  100 * sqrt(stated));
}
END_TEST

/* Without anything that rates have, progress is uniform. */
START_TEST(nothing_is_uniform)
{
    static truth t, u;
    plussi_progress none = {.law = PLUSSI_PROGRESS_RATES};
    load(program[_i], 3, 1);
    exact_uniform(&u, 24);
    exact_law(&t, &none, 24);
    double off = 0;
    for (size_t i = 0; i < t.n; i++) {
        double error = hypot(deviation(&t, i), deviation(&u, i)) / sqrt(24);
        ck_assert_double_le(fabs(t.mean[i] - u.mean[i]), 5 * error + 1e-9);
        off += fabs(t.mean[i] - u.mean[i]) / (double)t.n;
    }
    plussi_clock_options still = options_of(PLUSSI_PROGRESS_RATES);
    plussi_clock_options uniform = options_of(PLUSSI_PROGRESS_UNIFORM);
    outcome a = compare(&u, &still), b = compare(&u, &uniform);
    ck_assert_double_lt(off, .002);
    ck_assert_double_lt(a.off, a.stated);
    ck_assert_double_lt(b.off, b.stated);
    ck_assert_double_lt(a.spread, .003); /* runs differ by nothing but chance at single accesses */
}
END_TEST

/* The law itself: medians of skews, means of stalls, rates. */
START_TEST(draws)
{
    enum { N = 4000 };
    static double late[N];
    const double own[] = {2, 1, 1};
    plussi_progress s = {.law = PLUSSI_PROGRESS_RATES,
                         .sigma = .5,
                         .skew = 500,
                         .skew_spread = 1,
                         .rate = own,
                         .n_rates = 1,
                         .stall_rate = .01,
                         .stall = 30};
    double sum = 0, squares = 0, below = 0, first = 0, logs = 0, runs = 0, stalls = 0;
    for (uint64_t i = 0; i < N; i++) {
        double skew[3], rate[3], again[3], run, stall;
        plussi_draw_skew(&s, 9, i, 3, skew);
        plussi_draw_rates(&s, 9, i, 3, rate);
        plussi_draw_rates(&s, 9, i, 3, again);
        ck_assert(memcmp(rate, again, sizeof rate) == 0);
        int at_once = (skew[0] == 0) + (skew[1] == 0) + (skew[2] == 0);
        ck_assert_int_eq(at_once, 1);
        first += skew[1] == 0;
        late[i] = skew[0] > 0 ? skew[0] : skew[2];
        below += late[i] < 500;
        sum += log(late[i] / 500);
        squares += log(late[i] / 500) * log(late[i] / 500);
        logs += log(rate[0]) - log(rate[1]);
        plussi_stalls st;
        plussi_stalls_begin(&st, &s, 9, i, 1);
        plussi_stalls_next(&st, &run, &stall);
        runs += run;
        stalls += stall;
    }
    /* five standard errors each */
    ck_assert_double_eq_tol(below / N, .5, 5 * .5 / sqrt(N));
    ck_assert_double_eq_tol(sum / N, 0, 5 / sqrt(N));
    ck_assert_double_eq_tol(squares / N, 1, 5 * sqrt(2) / sqrt(N));
    ck_assert_double_eq_tol(first / N, 1. / 3, 5 * .47 / sqrt(N));
    ck_assert_double_eq_tol(logs / N, log(2), 5 * .5 * sqrt(2) / sqrt(N));
    ck_assert_double_eq_tol(runs / N, 100, 5 * 100 / sqrt(N));
    ck_assert_double_eq_tol(stalls / N, 30, 5 * 30 / sqrt(N));
}
END_TEST

START_TEST(rates_that_are_none)
{
    const double zero[] = {0}, nan[] = {NAN};
    const plussi_progress bad[] = {{.sigma = -1},
                                   {.sigma = NAN},
                                   {.skew = -1},
                                   {.skew_spread = 11},
                                   {.stall_rate = 2},
                                   {.stall = -1},
                                   {.n_rates = 1},
                                   {.rate = zero, .n_rates = 1},
                                   {.rate = nan, .n_rates = 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        plussi_progress progress = bad[i];
        progress.law = PLUSSI_PROGRESS_RATES;
        ck_assert_int_eq(plussi_progress_check(&ctx, &progress), PLUSS_EINVAL);
    }
    ck_assert_int_eq(plussi_progress_check(&ctx, &law[1]), PLUSS_OK);
    plussi_clock_options options = options_of(PLUSSI_PROGRESS_RATES);
    plussi_clock_result r = {.estimate.footprint = -7};
    load(program[0], 2, 0);
    options.progress.skew = -1;
    ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &r), PLUSS_EINVAL);
    options.progress.law = PLUSSI_PROGRESS_RECORDED;
    ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &r), PLUSS_EINVAL);
    ck_assert(r.estimate.footprint == -7);
}
END_TEST

/* ---- uniform: from one run to another
 * ---------------------------------------------------------------------------- */

static const struct {
    plussi_schedule_kind kind;
    int64_t chunk;
} schedule[] = {{PLUSSI_SCHED_STATIC, 0},
                {PLUSSI_SCHED_STATIC, 1},
                {PLUSSI_SCHED_DYNAMIC, 1},
                {PLUSSI_SCHED_DYNAMIC, 4},
                {PLUSSI_SCHED_GUIDED, 0}};
static const uint32_t uniform_team[] = {2, 4, 16, 64};
enum {
    SCHEDULES = sizeof schedule / sizeof *schedule,
    TEAMS = sizeof uniform_team / sizeof *uniform_team,
    SINGLES = 15 /* of all, each schedule with each program; with PLUSS_LONG: all */
};

static int singles(void)
{
    return getenv("PLUSS_LONG") ? SCHEDULES * PROGRAMS * TEAMS : suite_turns(SINGLES);
}

static plussi_clock_options single_options(void)
{
    plussi_clock_options options = plussi_clock_defaults();
    options.runs = 32;
    return options;
}

/* Both are known from a number of runs: as standard deviations from 30 and 32, to an eighth each.
 * What differs besides is allowed to be as much. */
static void judge_singles(const truth *t, const char *what)
{
    plussi_clock_options options = single_options();
    outcome o = compare(t, &options);
    ck_assert_msg(fabs(o.spread - o.deviation) < .5 * o.deviation + .001,
                  "%s: single runs told to differ by %.3f points, not %.3f", what, 100 * o.spread,
                  100 * o.deviation);
}

/* More accesses than are walked: sampled on shared clocks. */
START_TEST(single_runs)
{
    static truth t;
    char what[80];
    int turn = suite_turn(_i, SINGLES), of = turn % PROGRAMS, s = turn / PROGRAMS % SCHEDULES;
    uint32_t team = uniform_team[(turn / PROGRAMS + turn / (PROGRAMS * SCHEDULES)) % TEAMS];
    snprintf(what, sizeof what, "program %d, schedule %d, %u threads", of, s, team);
    load_scheduled(program[of], team, schedule[s].kind, schedule[s].chunk);
    exact_uniform(&t, 30);
    judge_singles(&t, what);
}
END_TEST

/* Few: walked. */
START_TEST(single_runs_of_few_accesses)
{
    static truth t;
    load_scheduled("array f64 A[12][12], B[12][12]\n"
                   "parallel for i in 0..12 { for j in 0..12 { for k in 0..12 {"
                   " read A[k][j] write B[i][j] } } }",
                   3, schedule[_i].kind, schedule[_i].chunk);
    exact_uniform(&t, 60);
    judge_singles(&t, "few accesses");
}
END_TEST

/* One thread's runs are alike; without being asked, nothing is told; numbers of runs that are none.
 */
START_TEST(single_runs_that_are_none)
{
    plussi_clock_options options = single_options();
    plussi_clock_result r;
    load(program[0], 1, 0);
    ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &r), PLUSS_OK);
    ck_assert_ptr_nonnull(r.estimate.spread);
    for (size_t i = 0; i < r.estimate.n_points; i++)
        ck_assert(r.estimate.spread[i] == 0);
    plussi_estimate_free(&r.estimate);
    options.runs = 0;
    ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &r), PLUSS_OK);
    ck_assert_ptr_null(r.estimate.spread);
    plussi_estimate_free(&r.estimate);
    options.runs = 1;
    ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &r), PLUSS_EINVAL);
    options.runs = 65;
    ck_assert_int_eq(plussi_clock(&ctx, bound, &options, &r), PLUSS_EINVAL);
}
END_TEST

/* Not walked: it is too long. */
START_TEST(single_runs_without_memory)
{
    plussi_clock_options options = single_options();
    options.runs = options.replications = 2;
    options.samples = 32;
    options.pilot = 64;
    options.workers = 1;
    load_scheduled("array f64 A[400][400], B[400]\n"
                   "for t in 0..8 { parallel for i in 0..400 { for j in 0..400 {"
                   " read A[j][i] write B[i] } } }",
                   2, schedule[_i].kind, 8);
    for (long budget = 0;; budget += 1 + budget / 40) {
        failing_mem memory;
        plussi_ctx failing;
        plussi_clock_result r;
        failing_mem_init(&memory, budget);
        plussi_ctx_init(&failing, &memory.mem);
        pluss_status status = plussi_clock(&failing, bound, &options, &r);
        ck_assert_int_eq(status, memory.failed ? PLUSS_ENOMEM : PLUSS_OK);
        if (!status)
            plussi_estimate_free(&r.estimate);
        plussi_ctx_clear(&failing);
        ck_assert_int_eq(memory.live, 0);
        if (!memory.failed)
            break;
    }
}
END_TEST

/* ---- recorded ----------------------------------------------------------------------------------
 */

enum { POINTS = 40, PHASES = 12, TEAM = 4 };

typedef struct made {
    plussi_timeline_point point[PHASES][TEAM][POINTS];
    plussi_timeline_thread thread[PHASES][TEAM];
    plussi_timeline_phase phase[PHASES];
} made;

/* Skew, rates of their own that wander, a wait now and then: of the walk's lengths. */
static plussi_timeline make_timelines(made *m, uint64_t seed)
{
    plussi_walk *walk;
    plussi_access buf[256];
    plussi_rng rng;
    size_t p = 0;
    plussi_rng_seed(&rng, seed, 0);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
    for (; plussi_walk_next_phase(walk); p++) {
        ck_assert_uint_lt(p, PHASES);
        m->phase[p] =
            (plussi_timeline_phase){.team = plussi_walk_team(walk), .thread = m->thread[p]};
        for (uint32_t k = 0; k < plussi_walk_team(walk); k++) {
            double length = 0, time = 900 * plussi_rng_unit(&rng) * (k > 0);
            for (size_t n; (n = plussi_walk_fill(walk, k, buf, 256)) > 0;)
                length += (double)n;
            for (int i = 0; i < POINTS; i++) {
                m->point[p][k][i] = (plussi_timeline_point){time, length * i / (POINTS - 1)};
                time += length / (POINTS - 1) * (.9 + .2 * plussi_rng_unit(&rng));
                time += plussi_rng_below(&rng, 20) == 0 ? .05 * length : 0;
            }
            m->thread[p][k] = (plussi_timeline_thread){POINTS, m->point[p][k]};
        }
    }
    plussi_walk_free(walk);
    return (plussi_timeline){.n_phases = p, .phase = m->phase};
}

static void exact_timelines(truth *t, const plussi_timelines *timelines)
{
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < timelines->n; i++) {
        plussi_walk *walk;
        plussi_merge *merge;
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
        plussi_timelines one = {.n = 1, .run = &timelines->run[i]};
        plussi_progress progress = {.law = PLUSSI_PROGRESS_RECORDED, .timelines = &one};
        ck_assert_int_eq(plussi_merge_new(&ctx, walk, &progress, 1, &merge), PLUSS_OK);
        add_curve(t, walk, merge);
    }
}

/* One run, without a spread; several, with the runs' own. */
START_TEST(recorded)
{
    enum { RUNS = 8 };
    static made m[RUNS];
    static truth t;
    load(program[_i % PROGRAMS], _i / PROGRAMS ? 4 : 2, _i % 2);
    plussi_timeline run[RUNS];
    for (uint64_t i = 0; i < RUNS; i++)
        run[i] = make_timelines(&m[i], i + 1);
    plussi_timelines one = {.n = 1, .run = run}, all = {.n = RUNS, .run = run};
    plussi_clock_options options = options_of(PLUSSI_PROGRESS_RECORDED);
    options.progress.timelines = &one;
    exact_timelines(&t, &one);
    t.runs = 2; /* a deviation of 0 */
    outcome o = compare(&t, &options);
    ck_assert_msg(o.off < o.stated, "one run, %d: off by %.2f points, %.2f stated", _i, 100 * o.off,
                  100 * o.stated);
    ck_assert(o.spread == 0);
    options.progress.timelines = &all;
    exact_timelines(&t, &all);
    o = compare(&t, &options);
    ck_assert_msg(o.off < o.stated, "all runs, %d: off by %.2f points, %.2f stated", _i,
                  100 * o.off, 100 * o.stated);
    ck_assert_msg(fabs(o.spread - o.deviation) < .4 * o.deviation + .002,
                  "all runs, %d: spread %.2f points, not %.2f", _i, 100 * o.spread,
                  100 * o.deviation);
}
END_TEST

/* Round robin, as a timeline and as a law: one access each in turn. */
START_TEST(round_robin)
{
    static made m;
    load(program[_i], 3, 1);
    plussi_timeline run = make_timelines(&m, 1);
    for (size_t p = 0; p < run.n_phases; p++)
        for (uint32_t k = 0; k < run.phase[p].team; k++)
            for (int i = 0; i < POINTS; i++)
                m.point[p][k][i].time = m.point[p][k][i].done;
    plussi_timelines timelines = {.n = 1, .run = &run};
    plussi_clock_options timed = options_of(PLUSSI_PROGRESS_RECORDED);
    plussi_clock_options in_turn = options_of(PLUSSI_PROGRESS_ROUND_ROBIN);
    timed.progress.timelines = &timelines;
    plussi_clock_result a, b;
    ck_assert_int_eq(plussi_clock(&ctx, bound, &timed, &a), PLUSS_OK);
    ck_assert_int_eq(plussi_clock(&ctx, bound, &in_turn, &b), PLUSS_OK);
    ck_assert_uint_eq(a.estimate.n_points, b.estimate.n_points);
    for (size_t i = 0; i < a.estimate.n_points; i++)
        ck_assert_double_eq_tol(plussi_mrc_at(&a.estimate.mrc, a.estimate.size[i]),
                                plussi_mrc_at(&b.estimate.mrc, a.estimate.size[i]),
                                3 * hypot(a.estimate.error[i], b.estimate.error[i]));
    plussi_estimate_free(&a.estimate);
    plussi_estimate_free(&b.estimate);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("progress");
    TCase *c = tcase_create("rates");
    tcase_set_timeout(c, 300);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, drawn_rates, 0, suite_turns(2 * PROGRAMS * LAWS));
    tcase_add_loop_test(c, nothing_is_uniform, 0, PROGRAMS);
    tcase_add_test(c, draws);
    tcase_add_test(c, rates_that_are_none);
    suite_add_tcase(s, c);
    TCase *u = tcase_create("single runs");
    tcase_set_timeout(u, 300);
    tcase_add_checked_fixture(u, setup, teardown);
    tcase_add_loop_test(u, single_runs, 0, singles());
    tcase_add_loop_test(u, single_runs_of_few_accesses, 0, SCHEDULES);
    tcase_add_test(u, single_runs_that_are_none);
    tcase_add_loop_test(u, single_runs_without_memory, 0, SCHEDULES);
    suite_add_tcase(s, u);
    TCase *r = tcase_create("recorded");
    tcase_set_timeout(r, 300);
    tcase_add_checked_fixture(r, setup, teardown);
    tcase_add_loop_test(r, recorded, 0, 2 * PROGRAMS);
    tcase_add_loop_test(r, round_robin, 0, PROGRAMS);
    suite_add_tcase(s, r);
    return s;
}

SUITE_MAIN(suite())

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calibration on timelines that are made up: what they were made from comes back within its
 * standard errors, and what tells nothing is said to tell nothing.
 */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "failing_mem.h"
#include "study/calibrate.h"
#include "suite.h"

enum { PIECES = PLUSSI_RATES_PIECES, RUNS_MOST = 200, TEAM_MOST = 4 };

/* What runs are made from. Times of an access: 1 ns. */
typedef struct recipe {
    uint32_t team;
    size_t runs, phases, points; /* intervals of a thread */
    double accesses;             /* of a thread in a phase */
    double sigma, skew, spread, stall_rate, stall;
    double rate[TEAM_MOST], cost[TEAM_MOST * PIECES]; /* ln */
    double process_rate; /* standard deviation of ln(rate of thread 0) between processes */
    uint32_t processes;
    uint64_t seed;
} recipe;

typedef struct made {
    plussi_arena arena;
    plussi_timeline timeline[RUNS_MOST];
    plussi_calibrate_run run[RUNS_MOST];
} made;

static double normal(plussi_rng *rng)
{
    double u = 1 - plussi_rng_unit(rng), v = plussi_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

static double exponential(plussi_rng *rng)
{
    return -log(1 - plussi_rng_unit(rng));
}

static double ns = 1; /* an access */

/* Interval by interval. */
static void make_thread(const recipe *r, plussi_rng *rng, uint32_t k, double start, double ln_rate,
                        plussi_timeline_thread *t)
{
    double mean = 0, time = start;
    for (size_t j = 0; j < PIECES; j++)
        mean += exp(r->cost[k * PIECES + j]) / PIECES;
    double step = r->accesses / (double)r->points;
    t->point[0] = (plussi_timeline_point){start * ns, 0};
    for (size_t i = 0; i < r->points; i++) {
        time += step * exp(r->cost[k * PIECES + i * PIECES / r->points] - ln_rate) / mean;
        if (r->stall_rate > 0 && plussi_rng_unit(rng) < r->stall_rate * step)
            time += r->stall * exponential(rng);
        t->point[i + 1] = (plussi_timeline_point){time * ns, step * (double)(i + 1)};
    }
    t->n = r->points + 1;
}

static void make(const recipe *r, made *m)
{
    plussi_rng rng;
    memset(m, 0, sizeof *m);
    plussi_rng_seed(&rng, r->seed, 1);
    plussi_arena_init(&m->arena, &plussi_mem_libc);
    double own[RUNS_MOST] = {0};
    for (uint32_t p = 0; p < r->processes; p++)
        own[p] = r->process_rate * normal(&rng);
    for (size_t i = 0; i < r->runs; i++) {
        plussi_timeline *timeline = &m->timeline[i];
        double z[TEAM_MOST];
        timeline->n_phases = r->phases;
        timeline->phase = plussi_arena_alloc(&m->arena, r->phases + 1, sizeof *timeline->phase);
        m->run[i] =
            (plussi_calibrate_run){timeline, (uint32_t)(i % (r->processes + !r->processes))};
        for (uint32_t k = 0; k < r->team; k++)
            z[k] = r->sigma * normal(&rng);
        for (size_t p = 0; p < r->phases; p++) {
            plussi_timeline_phase *phase = &timeline->phase[p];
            uint32_t first = (uint32_t)plussi_rng_below(&rng, r->team);
            phase->team = r->team;
            phase->thread = plussi_arena_alloc(&m->arena, r->team, sizeof *phase->thread);
            for (uint32_t k = 0; k < r->team; k++) {
                double late = k == first ? 0 : r->skew * exp(r->spread * normal(&rng));
                double rate = r->rate[k] + z[k] + (k == 0 ? own[m->run[i].process] : 0);
                phase->thread[k].point =
                    plussi_arena_alloc(&m->arena, r->points + 1, sizeof(plussi_timeline_point));
                make_thread(r, &rng, k, late, rate, &phase->thread[k]);
            }
        }
    }
}

static void unmake(made *m)
{
    plussi_arena_free(&m->arena);
}

static void near(const char *what, double got, double expected, double error)
{
    ck_assert_msg(fabs(got - expected) <= 3.5 * error, "%s: %g, expected %g with error %g", what,
                  got, expected, error);
}

static made the_runs;

static plussi_calibration calibrate(const recipe *r)
{
    plussi_ctx ctx;
    plussi_calibration c;
    plussi_ctx_init(&ctx, NULL);
    make(r, &the_runs);
    pluss_status status = plussi_calibrate(&ctx, the_runs.run, r->runs, r->team, &c);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "");
    plussi_ctx_clear(&ctx);
    return c;
}

static void done(plussi_calibration *c)
{
    plussi_calibration_free(c);
    unmake(&the_runs);
}

static const recipe plain = {.team = 2,
                             .runs = 40,
                             .phases = 1,
                             .points = 64,
                             .accesses = 1e6,
                             .sigma = .03,
                             .skew = 700,
                             .spread = .8,
                             .seed = 1};

/* ---- what was put in comes out ----------------------------------------------------------------
 */

START_TEST(numbers_come_back)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        recipe r = plain;
        r.seed = seed;
        r.team = seed % 2 ? 2 : 4;
        plussi_calibration c = calibrate(&r);
        ck_assert_uint_eq(c.n_used, r.runs);
        near("sigma", c.progress.sigma, r.sigma, c.sigma_error);
        near("skew", log(c.progress.skew), log(r.skew), c.skew_error);
        near("spread", c.progress.skew_spread, r.spread, c.skew_error);
        ck_assert_double_eq(c.progress.stall_rate, 0);
        /* the errors are those that so many runs leave */
        double degrees = (double)(r.runs - 1) * (r.team - 1);
        ck_assert_double_eq_tol(c.sigma_error, c.progress.sigma / sqrt(2 * degrees), 1e-9);
        double rate_error = r.sigma * sqrt((1 - 1 / (double)r.team) / (double)r.runs);
        for (uint32_t k = 0; k < r.team; k++) {
            near("rate", log(c.progress.rate[k]), 0, rate_error);
            near("its error", c.rate_error[k], rate_error, rate_error / 4);
        }
        done(&c);
    }
}
END_TEST

START_TEST(sigma_is_right_on_average)
{
    double squares = 0;
    enum { TIMES = 60 };
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
        recipe r = plain;
        r.seed = 100 + seed;
        r.runs = 10;
        r.team = 3;
        plussi_calibration c = calibrate(&r);
        squares += c.progress.sigma * c.progress.sigma / TIMES;
        done(&c);
    }
    near("mean square", squares, .03 * .03, .03 * .03 * sqrt(2. / (9 * 2 * TIMES)));
}
END_TEST

START_TEST(systematic_rates)
{
    recipe r = plain;
    r.rate[0] = .1;
    r.rate[1] = -.1;
    plussi_calibration c = calibrate(&r);
    near("rate 0", log(c.progress.rate[0]), .1, c.rate_error[0]);
    near("rate 1", log(c.progress.rate[1]), -.1, c.rate_error[1]);
    near("sigma", c.progress.sigma, r.sigma, c.sigma_error);
    done(&c);
    r.team = 4;
    r.rate[2] = .3;
    r.rate[3] = -.2;
    double mean = (.1 - .1 + .3 - .2) / 4;
    c = calibrate(&r);
    for (uint32_t k = 0; k < 4; k++)
        near("rate of four", log(c.progress.rate[k]), r.rate[k] - mean, c.rate_error[k]);
    near("sigma of four", c.progress.sigma, r.sigma, c.sigma_error);
    done(&c);
}
END_TEST

/* Of rates that are alike nearly all are found to be, and the others small. */
START_TEST(chance_is_no_rate)
{
    size_t alike = 0;
    enum { TIMES = 100 };
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
        recipe r = plain;
        r.runs = 20;
        r.seed = 1000 + seed;
        plussi_calibration c = calibrate(&r);
        alike += c.progress.rate[0] == 1 && c.progress.rate[1] == 1;
        ck_assert_double_lt(fabs(log(c.progress.rate[0])), .03);
        done(&c);
    }
    ck_assert_uint_ge(alike, 85);
    ck_assert_uint_lt(alike, TIMES); /* two standard errors */
}
END_TEST

START_TEST(profiles)
{
    recipe r = plain;
    double mean = 0;
    r.rate[0] = .2;
    for (size_t j = 0; j < PIECES; j++) {
        r.cost[j] = 1 - .25 * (double)j;
        mean += exp(r.cost[j]) / PIECES;
    }
    plussi_calibration c = calibrate(&r);
    for (size_t j = 0; j < PIECES; j++) {
        ck_assert_double_eq_tol(c.progress.loop[0].cost[j], r.cost[j] - log(mean), 1e-6);
        ck_assert_double_eq_tol(c.progress.loop[0].cost[PIECES + j], 0, 1e-6);
    }
    near("rate", log(c.progress.rate[0]), .1, c.rate_error[0]);
    done(&c);
}
END_TEST

START_TEST(loops_apart)
{
    recipe r = plain;
    uint32_t loop[] = {7, 3, 7, PLUSSI_TIMELINE_NO_LOOP};
    plussi_ctx ctx;
    plussi_calibration c;
    plussi_ctx_init(&ctx, NULL);
    r.phases = 4;
    r.sigma = .01;
    make(&r, &the_runs);
    for (size_t i = 0; i < r.runs; i++) {
        for (size_t p = 0; p < 4; p++)
            the_runs.timeline[i].phase[p].loop = loop[p];
        for (size_t p = 0; p < 4; p += 2) { /* loop 7: thread 1 takes twice the time */
            plussi_timeline_thread *t = &the_runs.timeline[i].phase[p].thread[1];
            for (size_t j = 1; j < t->n; j++)
                t->point[j].time += t->point[j].time - t->point[0].time;
        }
    }
    ck_assert_int_eq(plussi_calibrate(&ctx, the_runs.run, r.runs, r.team, &c), PLUSS_OK);
    ck_assert_uint_eq(c.progress.n_loops, 3);
    ck_assert_uint_eq(c.progress.loop[0].loop, 3);
    ck_assert_uint_eq(c.progress.loop[1].loop, 7);
    ck_assert_uint_eq(c.progress.loop[2].loop, PLUSSI_TIMELINE_NO_LOOP);
    ck_assert_double_eq_tol(c.weight[0], .25, 1e-12);
    ck_assert_double_eq_tol(c.weight[1], .5, 1e-12);
    near("loop 3", log(c.progress.loop[0].rate[0]), 0, .01 * sqrt(.5 / 40));
    near("loop 7", log(c.progress.loop[1].rate[0]), log(2) / 2, .01 * sqrt(.5 / 40));
    near("all", log(c.progress.rate[0]), log(2) / 4, .01 * sqrt(.5 / 40));
    near("sigma", c.progress.sigma, .01, c.sigma_error);
    done(&c);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(several_phases_of_a_loop)
{
    recipe r = plain;
    r.phases = 20;
    plussi_calibration c = calibrate(&r);
    near("sigma", c.progress.sigma, r.sigma, c.sigma_error);
    near("skew", log(c.progress.skew), log(r.skew), c.skew_error);
    ck_assert_double_lt(c.skew_error, .8 * 1.2533 / sqrt(40 * 20) * 1.5);
    done(&c);
}
END_TEST

START_TEST(stalls_come_back)
{
    recipe r = plain;
    r.points = 1024;
    r.accesses = 1e7;
    r.stall_rate = 2e-7;
    r.stall = 4e5;
    plussi_calibration c = calibrate(&r);
    /* those below 2 e + 10 us, e 10 us, are not seen */
    double seen = exp(-2e4 / r.stall), error = c.stall_error;
    ck_assert_uint_gt(c.n_stalls, 100);
    near("rate", c.progress.stall_rate, r.stall_rate * seen, error);
    near("length", c.progress.stall, r.stall + 2e4, (r.stall + 2e4) / sqrt((double)c.n_stalls));
    near("sigma", c.progress.sigma, r.sigma, c.sigma_error);
    done(&c);
}
END_TEST

/* What is slow at the same place in every run is the loop's. */
START_TEST(nature_is_no_stall)
{
    recipe r = plain;
    plussi_ctx ctx;
    plussi_calibration c;
    plussi_ctx_init(&ctx, NULL);
    make(&r, &the_runs);
    for (size_t i = 0; i < r.runs; i++) {
        plussi_timeline_thread *t = &the_runs.timeline[i].phase[0].thread[0];
        for (size_t j = 21; j < t->n; j++)
            t->point[j].time += 2e5;
    }
    ck_assert_int_eq(plussi_calibrate(&ctx, the_runs.run, r.runs, r.team, &c), PLUSS_OK);
    ck_assert_uint_eq(c.n_stalls, 0);
    ck_assert_double_gt(c.progress.loop[0].cost[2], c.progress.loop[0].cost[1] + .5);
    plussi_calibration_free(&c);
    /* the same in a third of the runs is */
    for (size_t i = 0; i < r.runs; i++) {
        plussi_timeline_thread *t = &the_runs.timeline[i].phase[0].thread[0];
        for (size_t j = 21; j < t->n && i % 3; j++)
            t->point[j].time -= 2e5;
    }
    ck_assert_int_eq(plussi_calibrate(&ctx, the_runs.run, r.runs, r.team, &c), PLUSS_OK);
    ck_assert_uint_eq(c.n_stalls, (r.runs + 2) / 3);
    done(&c);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(runs_are_discarded)
{
    recipe r = plain;
    plussi_ctx ctx;
    plussi_calibration c, expected = calibrate(&plain);
    plussi_ctx_init(&ctx, NULL);
    unmake(&the_runs);
    r.runs = 42;
    make(&r, &the_runs);
    for (size_t i = 40; i < r.runs; i++) {
        plussi_timeline_thread *t = &the_runs.timeline[i].phase[0].thread[i % 2];
        for (size_t j = i == 40 ? 0 : 30; j < t->n; j++) /* skew; a stall */
            t->point[j].time += 3e6;
    }
    ck_assert_int_eq(plussi_calibrate(&ctx, the_runs.run, r.runs, r.team, &c), PLUSS_OK);
    ck_assert_uint_eq(c.n_runs, 42);
    ck_assert_uint_eq(c.n_used, 40);
    for (size_t i = 0; i < r.runs; i++)
        ck_assert_int_eq(c.stalled[i].discarded, i >= 40);
    ck_assert_double_eq_tol(c.stalled[41].lost, 3e6, 2e5);
    ck_assert_double_eq_tol(c.stalled[41].whole, 4e6, 4e5);
    ck_assert_double_eq(c.progress.sigma, expected.progress.sigma);
    ck_assert_double_eq(c.progress.skew, expected.progress.skew);
    plussi_calibration_free(&expected);
    done(&c);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Runs of one process being alike, twenty of two processes tell little of a rate. */
START_TEST(processes)
{
    size_t taken = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        recipe r = plain;
        r.seed = seed;
        r.sigma = .002;
        r.process_rate = .05;
        r.processes = 8;
        plussi_calibration c = calibrate(&r);
        near("error", c.rate_error[0], .025 / sqrt(8), .025 / sqrt(8) / sqrt(2 * 7.));
        taken += c.progress.rate[0] != 1;
        done(&c);
    }
    ck_assert_uint_le(taken, 10);
}
END_TEST

/* ---- what must not matter ---------------------------------------------------------------------
 */

START_TEST(units_do_not_matter)
{
    plussi_calibration a = calibrate(&plain);
    unmake(&the_runs);
    ns = .25;
    plussi_calibration b = calibrate(&plain);
    ns = 1;
    ck_assert_double_eq_tol(a.progress.sigma, b.progress.sigma, 1e-12);
    ck_assert_double_eq_tol(a.progress.skew, b.progress.skew, 1e-6);
    ck_assert_double_eq_tol(a.progress.skew_spread, b.progress.skew_spread, 1e-9);
    ck_assert_double_eq_tol(a.access, 4 * b.access, 1e-9); /* but here */
    plussi_calibration_free(&a);
    done(&b);
}
END_TEST

/* Rates are about the mean; the time of an access is that mean, whatever was lost besides. */
START_TEST(time_of_an_access)
{
    recipe r = plain;
    r.accesses = 1e8; /* 25 ms: stalls that are too short to be told apart are little of it */
    r.stall_rate = 1e-8;
    r.stall = 2e7;
    r.processes = 4;
    ns = .25;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        r.seed = seed;
        plussi_calibration c = calibrate(&r);
        ck_assert_uint_gt(c.n_stalls, 0);
        near("access", log(c.access), log(ns), c.access_error);
        double error = r.sigma / sqrt(r.team * (double)r.runs);
        ck_assert_msg(c.access_error > error / 2 && c.access_error < 2.5 * error, "error %g",
                      c.access_error);
        done(&c);
    }
    r.runs = r.processes = 1;
    plussi_calibration one = calibrate(&r);
    ck_assert_double_eq_tol(one.access, ns, .05 * ns);
    ck_assert(isinf(one.access_error));
    done(&one);
    /* of threads and phases each counts by its accesses: 2 and 1 ns in the same time */
    r = plain;
    r.sigma = 0;
    r.rate[1] = log(2);
    plussi_calibration two = calibrate(&r);
    ns = 1;
    ck_assert_double_eq_tol(two.access, .25 * 1.5 / 2, 1e-9);
    done(&two);
}
END_TEST

START_TEST(threads_are_alike)
{
    recipe r = plain;
    plussi_ctx ctx;
    plussi_calibration a, b;
    plussi_ctx_init(&ctx, NULL);
    r.rate[0] = .2;
    make(&r, &the_runs);
    ck_assert_int_eq(plussi_calibrate(&ctx, the_runs.run, r.runs, r.team, &a), PLUSS_OK);
    for (size_t i = 0; i < r.runs; i++) {
        plussi_timeline_thread *t = the_runs.timeline[i].phase[0].thread, swap = t[0];
        t[0] = t[1];
        t[1] = swap;
    }
    ck_assert_int_eq(plussi_calibrate(&ctx, the_runs.run, r.runs, r.team, &b), PLUSS_OK);
    ck_assert_double_eq_tol(a.progress.rate[0], b.progress.rate[1], 1e-12);
    ck_assert_double_eq_tol(a.progress.rate[1], b.progress.rate[0], 1e-12);
    ck_assert_double_eq_tol(a.progress.sigma, b.progress.sigma, 1e-12);
    ck_assert_double_eq(a.progress.skew, b.progress.skew);
    plussi_calibration_free(&a);
    done(&b);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* ---- little or nothing ------------------------------------------------------------------------
 */

START_TEST(one_run)
{
    recipe r = plain;
    r.runs = 1;
    plussi_calibration c = calibrate(&r);
    ck_assert_double_eq(c.progress.rate[0], 1);
    ck_assert(isinf(c.rate_error[0]));
    ck_assert_double_gt(c.progress.sigma, 0);
    ck_assert_double_lt(c.progress.sigma, .15);
    ck_assert_double_gt(c.progress.skew, 0);
    for (size_t j = 0; j < 2 * PIECES; j++)
        ck_assert_double_eq(c.progress.loop[0].cost[j], 0);
    done(&c);
}
END_TEST

static void refused(plussi_calibrate_run *run, size_t n, uint32_t team, pluss_status expected,
                    const char *text)
{
    plussi_ctx ctx;
    plussi_calibration c = {.team = 99};
    plussi_ctx_init(&ctx, NULL);
    ck_assert_int_eq(plussi_calibrate(&ctx, run, n, team, &c), expected);
    ck_assert_uint_eq(c.team, 99);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_msg(strstr(ctx.diags[0].text, text), "%s", ctx.diags[0].text);
    plussi_ctx_clear(&ctx);
}

START_TEST(nothing_to_tell)
{
    recipe r = plain;
    r.runs = 3;
    refused(NULL, 0, 2, PLUSS_EINVAL, "no runs");
    plussi_timeline empty = {0};
    plussi_calibrate_run none = {.timeline = &empty};
    refused(&none, 1, 2, PLUSS_ENOTFOUND, "two threads");
    make(&r, &the_runs);
    refused(the_runs.run, 3, 1, PLUSS_EINVAL, "a phase has 2 threads, its team 1");
    for (size_t i = 0; i < 3; i++) /* one thread makes none */
        the_runs.timeline[i].phase[0].thread[1].n = 0;
    refused(the_runs.run, 3, 2, PLUSS_ENOTFOUND, "two threads");
    unmake(&the_runs);
    make(&r, &the_runs);
    for (size_t i = 0; i < 3; i++) /* no accesses */
        for (size_t j = 0; j <= r.points; j++)
            the_runs.timeline[i].phase[0].thread[0].point[j].done = 0;
    refused(the_runs.run, 3, 2, PLUSS_ENOTFOUND, "two threads");
    unmake(&the_runs);
    make(&r, &the_runs);
    for (size_t i = 0; i < 3; i++) /* no time */
        for (size_t j = 0; j <= r.points; j++)
            the_runs.timeline[i].phase[0].thread[0].point[j].time = 0;
    refused(the_runs.run, 3, 2, PLUSS_ENOTFOUND, "two threads");
    unmake(&the_runs);
    make(&r, &the_runs);
    for (size_t i = 0; i < 3; i++) /* all are stalled */
        for (size_t j = 0; j <= r.points; j++)
            the_runs.timeline[i].phase[0].thread[0].point[j].time += 1e7;
    refused(the_runs.run, 3, 2, PLUSS_ENOTFOUND, "kept from running");
    unmake(&the_runs);
    r.team = 1;
    make(&r, &the_runs);
    refused(the_runs.run, 3, 1, PLUSS_ENOTFOUND, "two threads");
    unmake(&the_runs);
}
END_TEST

START_TEST(out_of_memory)
{
    recipe r = plain;
    r.runs = 4;
    r.phases = 2;
    make(&r, &the_runs);
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx ctx;
        plussi_calibration c;
        plussi_timelines *timelines = NULL;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&ctx, &m.mem);
        pluss_status status = plussi_calibrate(&ctx, the_runs.run, r.runs, r.team, &c);
        if (!status) {
            status = plussi_draw_timelines(&ctx, &c.progress, the_runs.timeline, 3, 1, &timelines);
            if (!status)
                plussi_timelines_free(timelines);
            plussi_calibration_free(&c);
        }
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    unmake(&the_runs);
}
END_TEST

/* ---- draws ------------------------------------------------------------------------------------
 */

/* What is drawn from a calibration gives the same when it is calibrated with. */
START_TEST(draws_give_it_back)
{
    recipe r = plain;
    plussi_ctx ctx;
    plussi_calibration again;
    plussi_timelines *timelines = NULL;
    plussi_calibrate_run run[RUNS_MOST];
    plussi_ctx_init(&ctx, NULL);
    r.rate[0] = .2;
    r.team = 4;
    r.phases = 3;
    for (size_t j = 0; j < PIECES; j++)
        r.cost[j] = .05 * (double)j;
    plussi_calibration c = calibrate(&r);
    ck_assert_int_eq(
        plussi_draw_timelines(&ctx, &c.progress, the_runs.timeline, RUNS_MOST, 5, &timelines),
        PLUSS_OK);
    ck_assert_uint_eq(timelines->n, RUNS_MOST);
    for (size_t i = 0; i < RUNS_MOST; i++) {
        run[i] = (plussi_calibrate_run){&timelines->run[i], 0};
        ck_assert_uint_eq(timelines->run[i].n_phases, 3);
        for (size_t p = 0; p < 3; p++)
            for (uint32_t k = 0; k < 4; k++) {
                const plussi_timeline_thread *t = &timelines->run[i].phase[p].thread[k];
                ck_assert_double_eq(t->point[0].done, 0);
                ck_assert_double_eq(t->point[t->n - 1].done, r.accesses);
                for (size_t j = 1; j < t->n; j++) {
                    ck_assert_double_ge(t->point[j].time, t->point[j - 1].time);
                    ck_assert_double_ge(t->point[j].done, t->point[j - 1].done);
                }
            }
    }
    ck_assert_int_eq(plussi_calibrate(&ctx, run, RUNS_MOST, 4, &again), PLUSS_OK);
    near("sigma", again.progress.sigma, c.progress.sigma, again.sigma_error);
    near("skew", log(again.progress.skew), log(c.progress.skew), again.skew_error);
    near("spread", again.progress.skew_spread, c.progress.skew_spread, 2 * again.skew_error);
    for (uint32_t k = 0; k < 4; k++)
        near("rate", log(again.progress.rate[k]), log(c.progress.rate[k]), again.rate_error[k]);
    for (size_t j = 0; j < 4 * PIECES; j++)
        ck_assert_double_eq_tol(again.progress.loop[0].cost[j], c.progress.loop[0].cost[j], 1e-6);
    plussi_calibration_free(&again);
    plussi_timelines_free(timelines);
    done(&c);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(draws_with_stalls)
{
    recipe r = plain;
    plussi_ctx ctx;
    plussi_timelines *timelines = NULL;
    plussi_ctx_init(&ctx, NULL);
    plussi_calibration c = calibrate(&r);
    c.progress.stall_rate = 5e-6;
    c.progress.stall = 2e4;
    ck_assert_int_eq(
        plussi_draw_timelines(&ctx, &c.progress, the_runs.timeline, RUNS_MOST, 5, &timelines),
        PLUSS_OK);
    double lost = 0, stalls = 0;
    for (size_t i = 0; i < RUNS_MOST; i++)
        for (uint32_t k = 0; k < 2; k++) {
            const plussi_timeline_thread *t = &timelines->run[i].phase[0].thread[k];
            for (size_t j = 1; j < t->n; j++) {
                bool stands = t->point[j].done == t->point[j - 1].done;
                stalls += stands;
                lost += stands ? t->point[j].time - t->point[j - 1].time : 0;
            }
        }
    double expected = 5e-6 * 1e6 * 2 * RUNS_MOST;
    near("stalls", stalls, expected, sqrt(expected));
    near("length", lost / stalls, 2e4, 2e4 / sqrt(expected));
    plussi_timelines_free(timelines);
    done(&c);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* A few draws have the mean of many: their quantiles are spread out. */
START_TEST(few_draws_are_even)
{
    enum { FEW = 8, TIMES = 50 };
    plussi_ctx ctx;
    double squares = 0;
    size_t at_once[2] = {0};
    plussi_ctx_init(&ctx, NULL);
    plussi_calibration c = calibrate(&plain);
    c.progress.n_loops = 0;
    for (uint64_t seed = 0; seed < TIMES; seed++) {
        plussi_timelines *timelines = NULL;
        double mean = 0;
        ck_assert_int_eq(
            plussi_draw_timelines(&ctx, &c.progress, the_runs.timeline, FEW, seed, &timelines),
            PLUSS_OK);
        for (size_t i = 0; i < FEW; i++) {
            const plussi_timeline_thread *t = timelines->run[i].phase[0].thread;
            mean += log(t[0].point[PIECES].time - t[0].point[0].time) / FEW;
            for (int k = 0; k < 2; k++)
                at_once[k] += t[k].point[0].time == 0;
        }
        squares += (mean - log(plain.accesses)) * (mean - log(plain.accesses)) / TIMES;
        plussi_timelines_free(timelines);
    }
    /* independent draws would have sigma / sqrt(FEW) */
    ck_assert_double_lt(sqrt(squares), .5 * c.progress.sigma / sqrt(FEW));
    ck_assert_uint_eq(at_once[0], FEW * TIMES / 2);
    ck_assert_uint_eq(at_once[1], FEW * TIMES / 2);
    done(&c);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(draws_by_seed)
{
    plussi_ctx ctx;
    plussi_timelines *a = NULL, *b = NULL, *other = NULL;
    plussi_ctx_init(&ctx, NULL);
    plussi_calibration c = calibrate(&plain);
    ck_assert_int_eq(plussi_draw_timelines(&ctx, &c.progress, the_runs.timeline, 2, 5, &a),
                     PLUSS_OK);
    ck_assert_int_eq(plussi_draw_timelines(&ctx, &c.progress, the_runs.timeline, 2, 5, &b),
                     PLUSS_OK);
    ck_assert_int_eq(plussi_draw_timelines(&ctx, &c.progress, the_runs.timeline, 2, 6, &other),
                     PLUSS_OK);
    size_t same = 0, different = 0, alike = 0;
    for (uint32_t k = 0; k < 2; k++)
        for (size_t j = 1; j <= PIECES; j++) {
            double time = a->run[0].phase[0].thread[k].point[j].time;
            same += time == b->run[0].phase[0].thread[k].point[j].time;
            different += time != other->run[0].phase[0].thread[k].point[j].time;
            alike += time == a->run[1].phase[0].thread[k].point[j].time;
        }
    ck_assert_uint_eq(same, 2 * PIECES);
    ck_assert_uint_eq(different, 2 * PIECES);
    ck_assert_uint_eq(alike, 0);
    plussi_timelines_free(a);
    plussi_timelines_free(b);
    plussi_timelines_free(other);
    done(&c);
    recipe four = plain;
    four.team = 4;
    c = calibrate(&plain);
    unmake(&the_runs);
    make(&four, &the_runs);
    ck_assert_int_eq(plussi_draw_timelines(&ctx, &c.progress, the_runs.timeline, 2, 5, &a),
                     PLUSS_EINVAL);
    ck_assert_str_eq(ctx.diags[0].text, "a phase has 4 threads, its team 2");
    done(&c);
    plussi_ctx_clear(&ctx);
}
END_TEST

static Suite *calibrate_suite(void)
{
    Suite *s = suite_create("calibrate");
    TCase *fits = tcase_create("fits"), *little = tcase_create("little"),
          *draws = tcase_create("draws");
    tcase_add_test(fits, numbers_come_back);
    tcase_add_test(fits, sigma_is_right_on_average);
    tcase_add_test(fits, systematic_rates);
    tcase_add_test(fits, chance_is_no_rate);
    tcase_add_test(fits, profiles);
    tcase_add_test(fits, loops_apart);
    tcase_add_test(fits, several_phases_of_a_loop);
    tcase_add_test(fits, stalls_come_back);
    tcase_add_test(fits, nature_is_no_stall);
    tcase_add_test(fits, runs_are_discarded);
    tcase_add_test(fits, processes);
    tcase_add_test(fits, units_do_not_matter);
    tcase_add_test(fits, time_of_an_access);
    tcase_add_test(fits, threads_are_alike);
    tcase_add_test(little, one_run);
    tcase_add_test(little, nothing_to_tell);
    tcase_add_test(little, out_of_memory);
    tcase_add_test(draws, draws_give_it_back);
    tcase_add_test(draws, draws_with_stalls);
    tcase_add_test(draws, few_draws_are_even);
    tcase_add_test(draws, draws_by_seed);
    suite_add_tcase(s, fits);
    suite_add_tcase(s, little);
    suite_add_tcase(s, draws);
    return s;
}

SUITE_MAIN(calibrate_suite())

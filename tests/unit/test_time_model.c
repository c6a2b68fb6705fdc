/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models of time, by sums that are written out here.
 */
#include "cost/time_model.h"

#include <math.h>

#include "suite.h"

/* All numbers differ, so that none can stand for another. */
static plussi_machine_costs some_costs(void)
{
    plussi_machine_costs c = {.cycle_ns = 0.5, .issue = {0.25, 0}, .n = 3};
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++) {
        c.operation[g] = (plussi_measured){1 + g, 0};
        c.latency[g] = (plussi_measured){100 + g, 0};
    }
    c.server[0].latency.value = 4;
    for (size_t s = 1; s < c.n; s++) {
        c.server[s].latency = (plussi_measured){s == 1 ? 14 : 200, 0};
        for (int p = 0; p < PLUSSI_PATTERNS; p++)
            c.server[s].line[p].value = (s == 1 ? 2 : 20) * (p + 1);
    }
    return c;
}

static const uint32_t one[PLUSSI_SERVERS_MOST] = {1, 1, 1};

START_TEST(sum)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    block.count[PLUSSI_OP_DBL_ADD] = 7;
    block.count[PLUSSI_OP_LOOP] = 3;
    block.kept[PLUSSI_OP_DBL_ADD] = 2; /* not looked at */
    block.line[1][PLUSSI_PATTERN_STREAM] = 11;
    block.line[2][PLUSSI_PATTERN_SCATTERED] = 5;
    plussi_time_of_block(&costs, PLUSSI_TIME_SUM, &block, one, &t);
    ck_assert_double_eq(t.core, 7 * (1 + PLUSSI_OP_DBL_ADD) + 3 * (1 + PLUSSI_OP_LOOP));
    ck_assert_double_eq(t.server[1], 11 * (14 - 4));
    ck_assert_double_eq(t.server[2], 5 * (200 - 4));
    ck_assert_double_eq(t.all, t.core + t.server[1] + t.server[2]);
}
END_TEST

/* Each resource in turn is the slowest. */
START_TEST(overlap)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    block.count[PLUSSI_OP_DBL_ADD] = 7; /* 6 cycles each */
    block.count[PLUSSI_OP_NDIM_LOAD] = 4;
    block.kept[PLUSSI_OP_NDIM_LOAD] = 4;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 7 * (1 + PLUSSI_OP_DBL_ADD));
    ck_assert_int_eq(t.by, PLUSSI_BOUND_CORE);
    block.kept[PLUSSI_OP_NDIM_LOAD] = 0;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 4 * (1 + PLUSSI_OP_NDIM_LOAD));
    costs.issue.value = 10; /* (7 + 4) * 10 */
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 110);
    block.chain[PLUSSI_OP_DBL_ADD] = 2;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 2 * (100 + PLUSSI_OP_DBL_ADD));
    ck_assert_int_eq(t.by, PLUSSI_BOUND_CHAIN);
    block.line[1][PLUSSI_PATTERN_STREAM] = 50;
    block.line[2][PLUSSI_PATTERN_STRIDED] = 10;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 50 * 2 + 10 * 40);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_LEVEL);
    ck_assert_uint_eq(t.by_server, 2);
    block.count[PLUSSI_OP_CALL] = 1; /* waits for the rest of the core */
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.core, 120 + 1 + PLUSSI_OP_CALL);
}
END_TEST

/* Threads that ask one level at once wait for each other from some number on. */
START_TEST(shared)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    block.line[2][PLUSSI_PATTERN_STREAM] = 10; /* 20 cycles each alone */
    costs.server[2].shared.value = 8;
    for (uint32_t n = 1; n < 6; n++) {
        const uint32_t threads[PLUSSI_SERVERS_MOST] = {1, 1, n};
        plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, threads, &t);
        ck_assert_double_eq(t.all, 10 * fmax(20, 8 * n));
        ck_assert_int_eq(t.by, n > 2 ? PLUSSI_BOUND_SHARED : PLUSSI_BOUND_LEVEL);
    }
}
END_TEST

/* Spreads of costs and errors of misses, independent of each other. */
START_TEST(errors)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    costs.server[1].line[PLUSSI_PATTERN_STREAM].spread = 0.5;
    block.line[1][PLUSSI_PATTERN_STREAM] = 6;
    block.line_error[1][PLUSSI_PATTERN_STREAM] = 2;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq_tol(t.error, hypot(6 * 0.5, 2 * 2), 1e-12);
    costs.operation[PLUSSI_OP_SQRT].spread = 3; /* of the slowest resource alone */
    block.count[PLUSSI_OP_SQRT] = 9;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq_tol(t.error, 27, 1e-12);
}
END_TEST

/* Operations and lines overlap but for a part of the shorter; a chain leaves room for both. */
START_TEST(serial)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    costs.serial = 0.25;
    block.count[PLUSSI_OP_DBL_ADD] = 7;        /* 42 cycles */
    block.line[1][PLUSSI_PATTERN_STREAM] = 10; /* 20 */
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 42 + 5);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_CORE);
    block.line[1][PLUSSI_PATTERN_STREAM] = 30;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 60 + 10.5);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_LEVEL);
    block.chain[PLUSSI_OP_DBL_ADD] = 1; /* 105 */
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 105);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_CHAIN);
}
END_TEST

/* Chains that begin anew overlap as far as the window reaches. */
START_TEST(window)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    costs.window = 40;
    block.count[PLUSSI_OP_DBL_ADD] = 800;
    block.count[PLUSSI_OP_LOOP] = 400; /* 1600 operations: two an iteration, and two of the loop */
    block.chain[PLUSSI_OP_DBL_ADD] = 400;
    const double whole = 400 * (100 + PLUSSI_OP_DBL_ADD);
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.chain, whole);
    block.chains = 40; /* of 40 operations each: two are in the window at once */
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.chain, whole / 2);
}
END_TEST

/* Lines written back take their own cycles, but no less of a shared level than others. */
START_TEST(written)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    const uint32_t two[PLUSSI_SERVERS_MOST] = {1, 1, 2};
    plussi_block_time t;
    costs.server[2].written.value = 3;
    block.line[2][PLUSSI_PATTERN_STREAM] = 10;
    block.written[2] = 4;
    for (plussi_time_model m = 0; m < PLUSSI_TIME_MODELS; m++) {
        plussi_time_of_block(&costs, m, &block, one, &t);
        ck_assert_double_eq(t.all, 10.0 * (m == PLUSSI_TIME_SUM ? 196 : 20) + 4 * 3);
    }
    costs.server[2].shared.value = 11;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, two, &t);
    ck_assert_double_eq(t.all, 2 * 11 * (10 + 4));
}
END_TEST

/* What a level gives is a difference of misses. */
START_TEST(rounding)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    block.line[1][PLUSSI_PATTERN_STREAM] = -1e-16;
    for (plussi_time_model m = 0; m < PLUSSI_TIME_MODELS; m++) {
        plussi_time_of_block(&costs, m, &block, one, &t);
        ck_assert_double_eq(t.server[1], 0);
        ck_assert_double_eq(t.all, 0);
    }
}
END_TEST

/* Each step's accesses take what its cycles are more than those of the step before. */
START_TEST(pages)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    costs.page_bytes = 4096;
    costs.n_page_steps = 2;
    costs.page_step[0] = (plussi_page_step){64, {5, 0}};
    costs.page_step[1] = (plussi_page_step){1024, {30, 0.5}};
    block.walk[0] = 100;
    block.walk[1] = 8;
    block.walk_error[1] = 3;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.pages, 100 * 5 + 8 * (30 - 5));
    ck_assert_double_eq(t.all, t.pages);
    ck_assert_double_eq_tol(t.error, hypot(8 * 0.5, 3 * 25), 1e-12);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_PAGES);
    block.line[2][PLUSSI_PATTERN_STREAM] = 40; /* 800 cycles */
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 700 + 800);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_LEVEL);
}
END_TEST

/* As measured, between the nearest, and beyond them as the last. */
START_TEST(teams)
{
    plussi_machine_costs costs = some_costs();
    ck_assert_double_eq(plussi_cost_of_team(&costs, 3).start.value, 0);
    costs.n_team_costs = 2;
    costs.team_cost[0] = (plussi_team_cost){2, {100, 4}, {10, 0}};
    costs.team_cost[1] = (plussi_team_cost){8, {300, 8}, {50, 0}};
    const struct {
        uint32_t threads;
        double start, spread, barrier;
    } expected[] = {
        {1, 100, 4, 10}, {2, 100, 4, 10}, {4, 200, 6, 30}, {8, 300, 8, 50}, {9, 300, 8, 50}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const plussi_team_cost t = plussi_cost_of_team(&costs, expected[i].threads);
        ck_assert_double_eq_tol(t.start.value, expected[i].start, 1e-9);
        ck_assert_double_eq_tol(t.start.spread, expected[i].spread, 1e-9);
        ck_assert_double_eq_tol(t.barrier.value, expected[i].barrier, 1e-9);
    }
}
END_TEST

/* Lines of other threads at their own costs; what the first ones after a barrier take is added to
 * all else. One after the other: no less than a line waits for. */
START_TEST(transfers)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    costs.serial = 0.5;
    costs.transfer = (plussi_transfer_cost){.latency = {90, 0}, .upgrade = {13, 0}};
    for (int p = 0; p < PLUSSI_PATTERNS; p++)
        costs.transfer.line[p].value = 6 + p;
    block.count[PLUSSI_OP_DBL_ADD] = 10; /* 6 cycles each */
    block.transfer[PLUSSI_PATTERN_STREAM] = 30;
    block.transfer[PLUSSI_PATTERN_SCATTERED] = 2;
    block.transfer_error[PLUSSI_PATTERN_STREAM] = 3;
    block.upgrades = 4;
    block.waits = 5;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    const double lines = 30 * 6 + 2 * 8 + 4 * 13;
    ck_assert_double_eq(t.transfers, lines + 5 * 90);
    ck_assert_double_eq(t.all, lines + 60 * 0.5 + 5 * 90);
    ck_assert_double_eq_tol(t.error, 3 * 6, 1e-12);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_TRANSFER);
    block.chain[PLUSSI_OP_DBL_ADD] = 10; /* 1050 cycles, more than the waits' */
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 10 * (100 + PLUSSI_OP_DBL_ADD) + 5 * 90);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_CHAIN);
    block.chain[PLUSSI_OP_DBL_ADD] = 0;
    block.line[2][PLUSSI_PATTERN_STREAM] = 60; /* 1200 cycles, more than the transfers' */
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, lines + 1200 + 60 * 0.5 + 5 * 90);
    ck_assert_int_eq(t.by, PLUSSI_BOUND_LEVEL);
    block.line[2][PLUSSI_PATTERN_STREAM] = 0;
    plussi_time_of_block(&costs, PLUSSI_TIME_SUM, &block, one, &t);
    ck_assert_double_eq(t.transfers, 32 * (90 - 4) + 4 * 13);
    ck_assert_double_eq(t.all, 60 + t.transfers);
}
END_TEST

/* As measured, between the nearest by logarithms; none after the last, never less than a strided
 * line. The gap is what of the window the iterations between have. */
START_TEST(bursts)
{
    plussi_machine_costs costs = some_costs();
    plussi_code_block block = {.count = {0}};
    plussi_block_time t;
    plussi_server_cost *memory = &costs.server[2]; /* a strided line: 40 */
    ck_assert_double_eq(plussi_delay_of_burst(memory, 4), 0);
    memory->n_bursts = 3;
    memory->burst[0] = (plussi_burst_cost){2, {30, 0}};
    memory->burst[1] = (plussi_burst_cost){8, {100, 0}};
    memory->burst[2] = (plussi_burst_cost){32, {50, 0}};
    const double expected[][2] = {{1, 0}, {2, 0}, {4, 25}, {8, 60}, {16, 35}, {32, 10}, {33, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_double_eq_tol(plussi_delay_of_burst(memory, expected[i][0]), expected[i][1],
                                1e-9);
    block.line[2][PLUSSI_PATTERN_STRIDED] = 10;
    block.delay[2] = 123;
    plussi_time_of_block(&costs, PLUSSI_TIME_OVERLAP, &block, one, &t);
    ck_assert_double_eq(t.all, 10 * 40 + 123);
    block.count[PLUSSI_OP_LOOP] = 10;
    block.count[PLUSSI_OP_DBL_ADD] = 30; /* five operations an iteration, with its branch */
    ck_assert_double_eq(plussi_gap_of_iterations(&costs, &block, 3), 1);
    ck_assert_double_eq(plussi_gap_of_iterations(&costs, &block, 0), 0);
    costs.window = 100;
    ck_assert_double_eq(plussi_gap_of_iterations(&costs, &block, 0), 0);
    ck_assert_double_eq_tol(plussi_gap_of_iterations(&costs, &block, 8), 0.4, 1e-12);
    ck_assert_double_eq(plussi_gap_of_iterations(&costs, &block, 20), 1);
}
END_TEST

static Suite *time_model_suite(void)
{
    Suite *suite = suite_create("time_model");
    TCase *tc = tcase_create("time_model");
    tcase_add_test(tc, sum);
    tcase_add_test(tc, overlap);
    tcase_add_test(tc, shared);
    tcase_add_test(tc, errors);
    tcase_add_test(tc, serial);
    tcase_add_test(tc, written);
    tcase_add_test(tc, rounding);
    tcase_add_test(tc, pages);
    tcase_add_test(tc, teams);
    tcase_add_test(tc, transfers);
    tcase_add_test(tc, bursts);
    tcase_add_test(tc, window);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(time_model_suite())

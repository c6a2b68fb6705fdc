/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded shares: the lists themselves, and what the engines make of them.
 */
#include "suite.h"
#include "team/recorded_iterset.h"

#include <math.h>
#include <string.h>

#include "failing_mem.h"
#include "pipeline_fixture.h"

/* ---- shares ------------------------------------------------------------------------------------
 */

static const plussi_chunk list[] = {
    {3, 1, 0, 4, 6}, {3, 0, 0, 0, 4}, {3, 1, 0, 8, 10}, {3, 1, 0, 6, 8}, /* execution 0 */
    {3, 2, 2, 0, 5},                                                     /* 1 had nothing */
    {7, 0, 0, 0, 1},
};

START_TEST(shares_are_as_recorded)
{
    plussi_replay *replay;
    plussi_iterset s;
    ck_assert_int_eq(plussi_replay_new(&ctx, list, 6, &replay), PLUSS_OK);
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 0, 10, 4, 1, &s), PLUSS_OK);
    ck_assert_uint_eq(plussi_iterset_count(&s), 6);
    static const uint64_t order[] = {4, 5, 8, 9, 6, 7};
    for (uint64_t i = 0; i < 6; i++)
        ck_assert_uint_eq(plussi_iterset_nth(&s, i), order[i]);
    ck_assert(!s.ascending);
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 0, 10, 4, 0, &s), PLUSS_OK);
    ck_assert_uint_eq(plussi_iterset_count(&s), 4);
    ck_assert(s.ascending);
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 0, 10, 4, 3, &s), PLUSS_OK);
    ck_assert_uint_eq(plussi_iterset_count(&s), 0);
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 1, 0, 4, 0, &s), PLUSS_OK);
    ck_assert_uint_eq(plussi_iterset_count(&s), 0);
    /* three executions, then again from the first */
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 5, 5, 3, 2, &s), PLUSS_OK);
    ck_assert_uint_eq(plussi_iterset_count(&s), 5);
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 3, 10, 4, 1, &s), PLUSS_OK);
    ck_assert_uint_eq(plussi_iterset_count(&s), 6);
    /* other iterations, a thread too many, an unknown loop */
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 0, 11, 4, 1, &s), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 2, 5, 2, 0, &s), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_replay_iterset(replay, 4, 0, 1, 4, 0, &s), PLUSS_EINVAL);
    /* no iterations: nothing of that need be recorded */
    ck_assert_int_eq(plussi_replay_iterset(replay, 3, 3, 0, 4, 1, &s), PLUSS_OK);
    ck_assert_uint_eq(plussi_iterset_count(&s), 0);
    ck_assert_int_eq(plussi_replay_iterset(replay, 4, 0, 0, 4, 0, &s), PLUSS_OK);
    plussi_itersets sets;
    ck_assert_int_eq(plussi_replay_itersets(replay, 3, 3, 0, 3, &sets), PLUSS_OK);
    ck_assert_uint_eq(sets.n_segments, 0);
    ck_assert_uint_eq(plussi_iterset_count(&sets.set[1]), 0);
    plussi_itersets_free(&sets);
    ck_assert_int_eq(plussi_replay_itersets(replay, 3, 0, 10, 3, &sets), PLUSS_OK);
    ck_assert_uint_eq(sets.n_segments, 4);
    ck_assert_uint_eq(plussi_iterset_count(&sets.set[0]), 4);
    ck_assert_uint_eq(plussi_iterset_count(&sets.set[1]), 6);
    ck_assert_uint_eq(plussi_iterset_count(&sets.set[2]), 0);
    for (uint64_t i = 0; i < 6; i++)
        ck_assert_uint_eq(plussi_iterset_nth(&sets.set[1], i), order[i]);
    plussi_itersets_free(&sets);
    ck_assert_int_eq(plussi_replay_itersets(replay, 3, 0, 9, 3, &sets), PLUSS_EINVAL);
    plussi_replay_free(replay);
}
END_TEST

static void refused(const plussi_chunk *chunk, size_t n, pluss_status status, const char *words)
{
    plussi_replay *replay = NULL;
    ck_assert_int_eq(plussi_replay_new(&ctx, chunk, n, &replay), status);
    ck_assert_ptr_null(replay);
    ck_assert_msg(strstr(ctx.diags[ctx.n_diags - 1].text, words), "%s",
                  ctx.diags[ctx.n_diags - 1].text);
}

START_TEST(lists_that_are_none)
{
    static const plussi_chunk missing[] = {{1, 0, 0, 0, 4}, {1, 1, 0, 5, 6}},
                              twice[] = {{1, 0, 0, 0, 4}, {1, 1, 0, 3, 6}},
                              late[] = {{1, 0, 0, 1, 4}}, empty[] = {{1, 0, 0, 3, 3}},
                              often[] = {{1, 0, UINT64_MAX, 0, 4}};
    refused(missing, 2, PLUSS_EINVAL, "execution 0 of loop 1 is recorded with iteration 4 missing");
    refused(twice, 2, PLUSS_EINVAL, "iteration 3 twice");
    refused(late, 1, PLUSS_EINVAL, "iteration 0 missing");
    refused(empty, 1, PLUSS_EINVAL, "no iterations");
    refused(often, 1, PLUSS_EINVAL, "too often");
    refused(list, (size_t)PLUSSI_MAX_SEGMENTS + 1, PLUSS_ELIMIT, "recorded chunks");
}
END_TEST

START_TEST(memory_runs_out)
{
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx c;
        plussi_replay *replay = NULL;
        plussi_itersets sets;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&c, &m.mem);
        pluss_status status = plussi_replay_new(&c, list, 6, &replay);
        if (status == PLUSS_OK) {
            status = plussi_replay_itersets(replay, 3, 0, 10, 3, &sets);
            if (status == PLUSS_OK)
                plussi_itersets_free(&sets);
        }
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_replay_free(replay);
        plussi_ctx_clear(&c);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

/* ---- engines: what is recorded as static,c is what static,c does -------------------------------
 */

/* A time loop, a loop without a barrier behind it and another, all handed out on demand. */
#define PROGRAM(schedule)                                                                          \
    "pluss-nest 1 array f64 A[40][16], B[40][16] region r "                                        \
    "for t in 0..3 { parallel { workshare for i in 0..40 schedule(" schedule ") nowait { "         \
    "for j in 0..16 { read A[i][j] write B[i][j] } } "                                             \
    "workshare for i in 1..39 schedule(" schedule ") { "                                           \
    "for j in 0..16 { read B[i-1][j] read B[i+1][j] write A[i][j] } } } }"

enum { TEAM = 3, CHUNK = 4 };

/* As static,CHUNK deals; steps: every execution. */
static size_t deal(plussi_chunk *out, uint32_t loop, uint64_t n, uint64_t times)
{
    size_t k = 0;
    for (uint64_t time = 0; time < times; time++)
        for (uint64_t lo = 0; lo < n; lo += CHUNK)
            out[k++] = (plussi_chunk){loop, (uint32_t)(lo / CHUNK % TEAM), time, lo,
                                      lo + CHUNK < n ? lo + CHUNK : n};
    return k;
}

static plussi_request recorded_request(plussi_chunk *chunk)
{
    static const uint32_t team = TEAM;
    /* loops by id: t 0, the first i 1, j 2, the second i 3; two executions of three are recorded,
     * which are all alike */
    size_t n = deal(chunk, 3, 38, 2);
    n += deal(chunk + n, 1, 40, 2);
    return (plussi_request){.team = &team,
                            .n_teams = 1,
                            .line_bytes = 64,
                            .seed = 1,
                            .recorded = chunk,
                            .n_recorded = n};
}

static void same_curve(const plussi_curve *a, const plussi_curve *b)
{
    ck_assert_uint_eq(a->mrc.n, b->mrc.n);
    for (size_t i = 0; i < a->mrc.n; i++) {
        ck_assert_double_eq(a->mrc.size[i], b->mrc.size[i]);
        ck_assert_double_eq(a->mrc.miss[i], b->mrc.miss[i]);
    }
}

START_TEST(exact_curves_are_those_of_the_schedule)
{
    plussi_chunk chunk[200];
    plussi_request request = recorded_request(chunk), written = request;
    written.recorded = NULL;
    written.n_recorded = 0;
    static const plussi_progress law[] = {{.law = PLUSSI_PROGRESS_UNIFORM},
                                          {.law = PLUSSI_PROGRESS_ROUND_ROBIN},
                                          {.law = PLUSSI_PROGRESS_BURST, .accesses = 3}};
    for (int kind = 0; kind < 3; kind++) {
        request.progress = written.progress = law[kind];
        parse(PROGRAM("dynamic, 2"));
        ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
        parse(PROGRAM("static, 4"));
        ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &written, &result), PLUSS_OK);
        same_curve(&result.curve[result.n - 2], &result.curve[result.n - 1]);
        ck_assert_str_eq(result.curve[result.n - 2].id.schedule, "recorded");
        ck_assert_str_eq(result.curve[result.n - 1].id.schedule, "");
    }
}
END_TEST

START_TEST(private_intervals_are_those_of_the_schedule)
{
    plussi_chunk chunk[200];
    plussi_request request = recorded_request(chunk), written = request;
    written.n_recorded = 0;
    plussi_pri a, b;
    parse(PROGRAM("guided"));
    ck_assert_int_eq(plussi_pipeline_pri(&ctx, nest, &request, &a), PLUSS_OK);
    parse(PROGRAM("static, 4"));
    ck_assert_int_eq(plussi_pipeline_pri(&ctx, nest, &written, &b), PLUSS_OK);
    for (uint32_t r = 0; r < a.n_refs; r++) {
        plussi_bin *x, *y;
        size_t n, m;
        ck_assert_int_eq(plussi_histo_sorted(&a.ref[r].histo, &x, &n), PLUSS_OK);
        ck_assert_int_eq(plussi_histo_sorted(&b.ref[r].histo, &y, &m), PLUSS_OK);
        ck_assert_uint_eq(n, m);
        for (size_t i = 0; i < n; i++) {
            ck_assert_uint_eq(x[i].key, y[i].key);
            ck_assert_double_eq(x[i].weight, y[i].weight);
        }
        ck_assert_double_eq(a.ref[r].histo.cold, b.ref[r].histo.cold);
        ck_assert_double_eq(a.ref[r].histo.thread_first, b.ref[r].histo.thread_first);
        plussi_free(&ctx.mem, x);
        plussi_free(&ctx.mem, y);
    }
    plussi_pri_free(&a);
    plussi_pri_free(&b);
}
END_TEST

/* The clock model samples both alike: within its own sampling error of each other. */
START_TEST(clock_predicts_what_was_recorded)
{
    plussi_chunk chunk[200];
    plussi_request request = recorded_request(chunk), written = request;
    written.n_recorded = 0;
    parse(PROGRAM("dynamic"));
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    parse(PROGRAM("static, 4"));
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &written, &result), PLUSS_OK);
    ck_assert_str_eq(result.curve[0].id.engine, "clock");
    ck_assert_uint_eq(ctx.n_diags, 0);
    double sum = 0, most = (double)result.curve[1].footprint_lines;
    ck_assert_uint_eq(result.curve[0].footprint_lines, result.curve[1].footprint_lines);
    for (double size = 1; size <= most; size++)
        sum += fabs(plussi_mrc_at(&result.curve[0].mrc, size) -
                    plussi_mrc_at(&result.curve[1].mrc, size));
    ck_assert_double_le(sum / most, 0.006);
}
END_TEST

/* lu's loop: its last execution has no iterations, and so no chunk in any record. */
START_TEST(an_execution_without_iterations)
{
    static const uint32_t two = 2;
    static const plussi_chunk chunk[] = {
        {1, 0, 0, 0, 2}, {1, 1, 0, 2, 3}, {1, 1, 1, 0, 2}, {1, 0, 2, 0, 1}};
    parse("pluss-nest 1 array f64 A[4][16] region r for k in 0..4 { "
          "parallel for i in k+1..4 schedule(dynamic) { for j in 0..16 { read A[i][j] } } }");
    plussi_request request = {.team = &two,
                              .n_teams = 1,
                              .line_bytes = 64,
                              .seed = 1,
                              .recorded = chunk,
                              .n_recorded = 4};
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_str_eq(result.curve[0].id.engine, "clock");
    ck_assert_uint_eq(ctx.n_diags, 0);
    ck_assert_uint_eq(result.curve[0].footprint_lines, 6);
}
END_TEST

/* Backwards through chunks: a thread's lines come as recorded. */
START_TEST(order_within_a_thread_is_the_recorded_one)
{
    static const uint32_t two = 2;
    static const plussi_chunk chunk[] = {{0, 0, 0, 6, 8}, {0, 0, 0, 0, 2}, {0, 1, 0, 2, 6}};
    parse("pluss-nest 1 array b64 A[8] region r parallel for i in 0..8 schedule(dynamic) "
          "{ read A[i] }");
    plussi_bind_options options = {
        .team = two, .line_bytes = 64, .recorded = chunk, .n_recorded = 3};
    plussi_bound *bound;
    plussi_walk *walk;
    plussi_access a[8];
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 0, &walk), PLUSS_OK);
    size_t n = 0, got;
    while ((got = plussi_walk_fill(walk, 0, a + n, 8 - n)) > 0)
        n += got;
    ck_assert_uint_eq(n, 4);
    uint64_t first = (uint64_t)bound->array[0].base / 64;
    static const uint64_t line[] = {6, 7, 0, 1};
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(a[i].line - first, line[i]);
    plussi_walk_free(walk);
    plussi_bound_free(bound);
}
END_TEST

START_TEST(records_of_other_loops)
{
    plussi_chunk chunk[200];
    plussi_request request = recorded_request(chunk);
    parse("pluss-nest 1 array f64 A[40] region r for t in 0..2 { for s in 0..t { "
          "parallel for i in 0..10 schedule(dynamic) { read A[i] } } }");
    static const plussi_chunk other[] = {{2, 0, 0, 0, 9}}, good[] = {{2, 0, 0, 0, 10}},
                              thread[] = {{2, 5, 0, 0, 10}};
    request.recorded = other;
    request.n_recorded = 1;
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_EINVAL);
    ck_assert_ptr_nonnull(strstr(ctx.diags[ctx.n_diags - 1].text, "other iterations"));
    request.recorded = thread;
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_EINVAL);
    /* which execution it is cannot be told in closed form: it is walked, and said so */
    request.recorded = good;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_str_eq(result.curve[0].id.engine, "ri-random");
    ck_assert_ptr_nonnull(strstr(ctx.diags[ctx.n_diags - 1].text, "trip counts vary"));
    parse("pluss-nest 1 array f64 A[40] region r "
          "parallel for i in 0..10 schedule(recorded) { read A[i] }");
    request.n_recorded = 0;
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_EUNSUPPORTED);
}
END_TEST

static Suite *replay_suite(void)
{
    Suite *suite = suite_create("replay");
    TCase *tc = tcase_create("replay");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, shares_are_as_recorded);
    tcase_add_test(tc, lists_that_are_none);
    tcase_add_test(tc, memory_runs_out);
    tcase_add_test(tc, exact_curves_are_those_of_the_schedule);
    tcase_add_test(tc, private_intervals_are_those_of_the_schedule);
    tcase_add_test(tc, clock_predicts_what_was_recorded);
    tcase_add_test(tc, an_execution_without_iterations);
    tcase_add_test(tc, order_within_a_thread_is_the_recorded_one);
    tcase_add_test(tc, records_of_other_loops);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(replay_suite())

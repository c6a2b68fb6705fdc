/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dispatch patterns: every iteration has one thread, the questions are each other's inverses, a
 * pattern that grows stays what it was, and threads make as many accesses in a time as it lasts.
 */
#include <math.h>

#include "failing_mem.h"
#include "suite.h"
#include "team/chunk_log.h"
#include "team/iterset.h"
#include "team/pattern.h"

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}
static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}
static void must(pluss_status status)
{
    ck_assert_int_eq(status, PLUSS_OK);
}

typedef struct shape {
    uint32_t team;
    uint64_t work, n, chunk;
} shape;

static const shape shapes[] = {
    {1, 1, 1, 1},       {2, 1, 5, 3},       {3, 40, 1000, 7},          {7, 1, 16384, 1},
    {64, 3, 100000, 1}, {300, 9, 50001, 2}, {2, 1000000, 9999999, 10}, {4, 2, 1000000000000, 3}};

static plussi_iterset share_of(const plussi_pattern *p, const shape *x, uint32_t thread)
{
    return (plussi_iterset){.kind = PLUSSI_ITERSET_PATTERN,
                            .team = x->team,
                            .thread = thread,
                            .n = x->n,
                            .chunk = x->chunk,
                            .pattern = p,
                            .row = thread,
                            .ascending = true};
}

START_TEST(every_iteration_once)
{
    const shape *x = &shapes[_i];
    plussi_pattern *p;
    plussi_rng rng;
    plussi_rng_seed(&rng, 5, (uint64_t)_i);
    must(plussi_pattern_new(&ctx, x->team, x->work, 3, &p));
    must(plussi_pattern_extend(p, (x->n - 1) / x->chunk + 1));
    uint64_t all = 0;
    for (uint32_t k = 0; k < x->team; k++) {
        plussi_iterset s = share_of(p, x, k);
        all += plussi_iterset_count(&s);
    }
    ck_assert_uint_eq(all, x->n);
    for (int turn = 0; turn < 200; turn++) {
        uint64_t i = plussi_rng_below(&rng, x->n), pos, lo, hi;
        uint32_t owners = 0;
        for (uint32_t k = 0; k < x->team; k++) {
            plussi_iterset s = share_of(p, x, k);
            if (!plussi_iterset_position(&s, i, &pos))
                continue;
            owners++;
            ck_assert_uint_eq(plussi_iterset_nth(&s, pos), i);
            ck_assert(plussi_iterset_latest(&s, UINT64_MAX, 0, i, &lo) && lo == pos);
            plussi_iterset_run(&s, pos, &lo, &hi);
            ck_assert(lo == i && hi > i && hi <= x->n && hi - i <= x->chunk);
        }
        ck_assert_uint_eq(owners, 1);
    }
    plussi_pattern_free(p);
}
END_TEST

START_TEST(numbers_and_times_ascend)
{
    const shape *x = &shapes[_i];
    uint64_t chunks = (x->n - 1) / x->chunk + 1;
    plussi_pattern *p;
    must(plussi_pattern_new(&ctx, x->team, x->work, 4, &p));
    must(plussi_pattern_extend(p, chunks));
    for (uint32_t k = 0; k < x->team; k += 1 + x->team / 5) {
        uint64_t own = plussi_pattern_count(p, k, chunks), step = 1 + own / 5000;
        ck_assert_uint_ge(plussi_pattern_number(p, k, own), chunks); /* what it asks for next */
        for (uint64_t j = 0; j < own; j += j < 3000 ? 1 : step) {
            double time = plussi_pattern_time(p, k, j);
            uint64_t number = plussi_pattern_number(p, k, j);
            ck_assert(plussi_pattern_time(p, k, j + 1) >= time);
            ck_assert_uint_gt(plussi_pattern_number(p, k, j + 1), number);
            ck_assert_uint_eq(plussi_pattern_count(p, k, number), j);
            ck_assert_uint_eq(plussi_pattern_owner(p, number), k);
            uint64_t asked = plussi_pattern_dispatched_by(p, k, time * (1 + 1e-12) + 1e-9, own);
            ck_assert(asked == j + 1 ||
                      (asked > j && plussi_pattern_time(p, k, j + 1) < time * (1 + 1e-9) + 1e-6));
        }
        /* accesses in a time that is as long, within six standard deviations, and a chunk; what
         * deviates in a period deviates in all that repeat it */
        double time = plussi_pattern_time(p, k, own), made = (double)own * (double)x->work;
        double period = (double)PLUSSI_PATTERN_PERIOD / x->team * (double)x->work;
        double repeated = chunks > PLUSSI_PATTERN_EXACT ? made / sqrt(period) : 0;
        ck_assert_double_le(fabs(time - made),
                            6 * (sqrt(made + 9) + repeated) + 2 * (double)x->work);
    }
    plussi_pattern_free(p);
}
END_TEST

START_TEST(growing_changes_nothing)
{
    plussi_pattern *a, *b;
    must(plussi_pattern_new(&ctx, 5, 12, 6, &a));
    must(plussi_pattern_new(&ctx, 5, 12, 6, &b));
    must(plussi_pattern_extend(a, 1000000));
    for (uint64_t n = 10; n <= 1000000; n *= 10) {
        must(plussi_pattern_extend(b, n));
        for (uint32_t k = 0; k < 5; k++) {
            uint64_t own = plussi_pattern_count(a, k, n);
            ck_assert_uint_eq(plussi_pattern_count(b, k, n), own);
            ck_assert_double_eq(plussi_pattern_time(b, k, own), plussi_pattern_time(a, k, own));
        }
    }
    plussi_pattern_free(a);
    plussi_pattern_free(b);
}
END_TEST

START_TEST(short_of_memory)
{
    for (long budget = 0;; budget++) {
        failing_mem mem;
        failing_mem_init(&mem, budget);
        plussi_ctx short_ctx;
        plussi_pattern *p = NULL;
        plussi_ctx_init(&short_ctx, &mem.mem);
        pluss_status status = plussi_pattern_new(&short_ctx, 3, 2, 1, &p);
        if (status == PLUSS_OK)
            status = plussi_pattern_extend(p, 40000);
        ck_assert_int_eq(status, mem.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_pattern_free(p);
        plussi_ctx_clear(&short_ctx);
        ck_assert_int_eq(mem.live, 0);
        if (!mem.failed)
            break;
    }
}
END_TEST

/* A thread that is free again at once comes where one comes that was removed and came back. */
START_TEST(first_thread_moves)
{
    enum { TEAM = 77, EVENTS = 20000 };
    plussi_free_thread heap[2][TEAM];
    for (uint32_t team = 1; team <= TEAM; team++) {
        plussi_clocks a = {.heap = heap[0]}, b = {.heap = heap[1]};
        plussi_rng rng[2], work;
        for (int i = 0; i < 2; i++)
            plussi_rng_seed(&rng[i], 3, team);
        plussi_rng_seed(&work, 4, team);
        for (uint32_t k = 0; k < team; k++) {
            plussi_clocks_push(&a, k, k % 5, &rng[0]);
            plussi_clocks_push(&b, k, k % 5, &rng[1]);
        }
        for (uint32_t i = 0; i < EVENTS / TEAM; i++) { /* many at equal times */
            double time = b.heap[0].time + (double)plussi_rng_below(&work, 4);
            plussi_clocks_move_first(&b, time, &rng[1]);
            plussi_free_thread first = plussi_clocks_pop(&a);
            plussi_clocks_push(&a, first.thread, time, &rng[0]);
            ck_assert_uint_eq(a.heap[0].thread, b.heap[0].thread);
            ck_assert(a.heap[0].time == b.heap[0].time);
        }
    }
}
END_TEST

static Suite *pattern_suite(void)
{
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    Suite *suite = suite_create("pattern");
    TCase *tc = tcase_create("pattern");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, every_iteration_once, 0, SHAPES);
    tcase_add_loop_test(tc, numbers_and_times_ascend, 0, SHAPES);
    tcase_add_test(tc, growing_changes_nothing);
    tcase_add_test(tc, first_thread_moves);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(pattern_suite())

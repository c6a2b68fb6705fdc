/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stack distances against a list that is searched from the top, against counting distinct lines in
 * windows of long traces, and against caches that are simulated one by one.
 */
#include <string.h>

#include "../unit/failing_mem.h"
#include "../unit/suite.h"
#include "base/rng.h"
#include "exact/lru.h"

/* ---- the list: most recent first ---------------------------------------------------------------
 */

typedef struct list {
    uint64_t line[512];
    size_t n;
} list;

static uint64_t list_touch(list *l, uint64_t line)
{
    size_t at = 0;
    while (at < l->n && l->line[at] != line)
        at++;
    uint64_t distance = at < l->n ? at : PLUSSI_LRU_COLD;
    l->n += at == l->n;
    memmove(l->line + 1, l->line, at * sizeof *l->line);
    l->line[0] = line;
    return distance;
}

/* ---- traces ------------------------------------------------------------------------------------
 */

enum { N_SHAPES = 5 };

/* The next line of a trace over `lines` lines. */
static uint64_t next_line(int shape, uint64_t k, uint64_t last, uint64_t lines, plussi_rng *rng)
{
    switch (shape) {
    case 0: /* uniform */
        return plussi_rng_below(rng, lines);
    case 1: /* cyclic */
        return k % lines;
    case 2: /* there and back */
        return k / lines % 2 ? lines - 1 - k % lines : k % lines;
    case 3: /* a few lines often, the others rarely */
        return plussi_rng_below(rng, 1 + plussi_rng_below(rng, lines));
    default: /* runs, each line several times */
        return plussi_rng_below(rng, 20) == 0 ? plussi_rng_below(rng, lines)
               : plussi_rng_below(rng, 3)     ? last
                                              : (last + 1) % lines;
    }
}

START_TEST(as_a_list)
{
    const uint64_t footprint[] = {1, 2, 63, 64, 65, 400};
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_lru *lru;
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    for (size_t f = 0; f < sizeof footprint / sizeof *footprint; f++) {
        list l = {.n = 0};
        plussi_rng rng;
        plussi_rng_seed(&rng, 20, f);
        plussi_lru_reset(lru);
        uint64_t line = 0;
        for (uint64_t k = 0; k < 60000; k++) {
            line = next_line(_i, k, line, footprint[f], &rng);
            uint64_t expected = list_touch(&l, line), found = plussi_lru_touch(lru, line * 4097);
            if (found != expected)
                ck_abort_msg("touch %lu of line %lu: %lu, not %lu", k, line, found, expected);
        }
        ck_assert_uint_eq(plussi_lru_footprint(lru), l.n);
    }
    plussi_lru_free(lru);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* ---- long traces with large footprints ---------------------------------------------------------
 */

/* Distinct lines in a window = last touches in it: a Fenwick tree over the whole trace's time. */
enum { LONG = 600000, MANY = 150000 };
static int32_t fenwick[LONG + 1];
static uint32_t last_touch[MANY];

static void fenwick_add(size_t i, int32_t by)
{
    for (; i <= LONG; i += i & -i)
        fenwick[i] += by;
}

static int64_t fenwick_sum(size_t i)
{
    int64_t sum = 0;
    for (; i > 0; i -= i & -i)
        sum += fenwick[i];
    return sum;
}

START_TEST(large_footprints)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_lru *lru;
    plussi_rng rng;
    plussi_rng_seed(&rng, 21, (uint64_t)_i);
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    uint64_t line = 0;
    for (uint64_t k = 1; k <= LONG; k++) {
        line = next_line(_i, k, line, MANY, &rng);
        uint64_t expected = PLUSSI_LRU_COLD, last = last_touch[line];
        if (last) {
            expected = (uint64_t)(fenwick_sum(k - 1) - fenwick_sum(last));
            fenwick_add(last, -1);
        }
        fenwick_add(k, 1);
        last_touch[line] = (uint32_t)k;
        uint64_t found = plussi_lru_touch(lru, line);
        if (found != expected)
            ck_abort_msg("touch %lu: %lu, not %lu", k, found, expected);
    }
    plussi_lru_free(lru);
}
END_TEST

/* The capacity doubles when the marks are more than half of it: traces of just that many lines. */
START_TEST(at_the_capacity)
{
    const uint64_t lines[] = {4095, 4096, 4097, 8191, 8192, 8193};
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_lru *lru;
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    for (size_t f = 0; f < 6; f++) {
        plussi_lru_reset(lru);
        for (uint64_t k = 0; k < 10 * lines[f]; k++) {
            uint64_t found = plussi_lru_touch(lru, k % lines[f]);
            if (found != (k < lines[f] ? PLUSSI_LRU_COLD : lines[f] - 1))
                ck_abort_msg("touch %lu of a cycle of %lu: %lu", k, lines[f], found);
        }
        ck_assert_uint_eq(plussi_lru_footprint(lru), lines[f]);
    }
    plussi_lru_free(lru);
}
END_TEST

/* ---- properties --------------------------------------------------------------------------------
 */

/* New names change nothing; a touch repeated at once has distance 0 and changes no other. */
START_TEST(names_and_repetitions)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_lru *plain, *renamed, *twice;
    ck_assert_int_eq(plussi_lru_new(&ctx, &plain), PLUSS_OK);
    ck_assert_int_eq(plussi_lru_new(&ctx, &renamed), PLUSS_OK);
    ck_assert_int_eq(plussi_lru_new(&ctx, &twice), PLUSS_OK);
    plussi_rng rng;
    plussi_rng_seed(&rng, 22, (uint64_t)_i);
    uint64_t line = 0;
    for (uint64_t k = 0; k < 60000; k++) {
        line = next_line(_i, k, line, 7000, &rng);
        uint64_t distance = plussi_lru_touch(plain, line);
        ck_assert_uint_eq(plussi_lru_touch(renamed, line * 0x9e3779b97f4a7c15u), distance);
        ck_assert_uint_eq(plussi_lru_touch(twice, line), distance);
        ck_assert_uint_eq(plussi_lru_touch(twice, line), 0);
        if (distance != PLUSSI_LRU_COLD)
            ck_assert_uint_lt(distance, plussi_lru_footprint(plain));
    }
    plussi_lru_free(plain);
    plussi_lru_free(renamed);
    plussi_lru_free(twice);
}
END_TEST

/* A cache of c lines misses exactly where the distance is c or more. */
START_TEST(is_an_lru_cache)
{
    enum { C = 37 };
    uint64_t held[C], when[C] = {0}, now = 0;
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_lru *lru;
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    plussi_rng rng;
    plussi_rng_seed(&rng, 23, (uint64_t)_i);
    uint64_t line = 0;
    for (uint64_t k = 0; k < 40000; k++) {
        line = next_line(_i, k, line, 60, &rng);
        size_t at = 0, oldest = 0;
        while (at < C && !(when[at] && held[at] == line))
            at++;
        for (size_t w = 0; w < C; w++)
            oldest = when[w] < when[oldest] ? w : oldest;
        uint64_t distance = plussi_lru_touch(lru, line);
        ck_assert_int_eq(distance >= C, at == C);
        at = at == C ? oldest : at;
        held[at] = line;
        when[at] = ++now;
    }
    plussi_lru_free(lru);
}
END_TEST

START_TEST(reset_forgets)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_lru *lru;
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    for (int round = 0; round < 5; round++) {
        for (uint64_t i = 0; i < 10000; i++)
            ck_assert_uint_eq(plussi_lru_touch(lru, i), PLUSSI_LRU_COLD);
        ck_assert_uint_eq(plussi_lru_touch(lru, 0), 9999);
        ck_assert_uint_eq(plussi_lru_footprint(lru), 10000);
        (round % 2 ? plussi_lru_shrink : plussi_lru_reset)(lru);
        ck_assert_uint_eq(plussi_lru_footprint(lru), 0);
    }
    plussi_lru_free(lru);
    plussi_lru_free(NULL);
}
END_TEST

/* ---- lack of memory ----------------------------------------------------------------------------
 */

/* Every allocation in turn fails once; the stack goes on as if that touch had not been asked for.
 */
START_TEST(short_of_memory)
{
    bool whole = false;
    for (long budget = 0; !whole; budget += suite_step()) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &m.mem);
        plussi_lru *lru = NULL;
        pluss_status status = plussi_lru_new(&ctx, &lru);
        if (status != PLUSS_OK) {
            ck_assert_int_eq(status, PLUSS_ENOMEM);
            ck_assert_ptr_null(lru);
            ck_assert_int_eq(m.live, 0);
            continue;
        }
        uint64_t failures = 0;
        enum { LINES = 9000 };
        for (uint64_t k = 0; k < 5 * LINES; k++) {
            uint64_t found = plussi_lru_touch(lru, k % LINES);
            if (found == PLUSSI_LRU_FAIL) {
                failures++;
                m.budget = 1000000;
                found = plussi_lru_touch(lru, k % LINES);
            }
            if (found != (k < LINES ? PLUSSI_LRU_COLD : LINES - 1))
                ck_abort_msg("budget %ld, touch %lu: %lu", budget, k, found);
        }
        ck_assert_int_eq(failures, m.failed);
        plussi_lru_free(lru);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
        whole = !m.failed;
    }
}
END_TEST

static Suite *lru_suite(void)
{
    Suite *suite = suite_create("lru");
    TCase *tc = tcase_create("lru");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, as_a_list, 0, N_SHAPES);
    tcase_add_loop_test(tc, large_footprints, 0, N_SHAPES);
    tcase_add_test(tc, at_the_capacity);
    tcase_add_loop_test(tc, names_and_repetitions, 0, N_SHAPES);
    tcase_add_loop_test(tc, is_an_lru_cache, 0, N_SHAPES);
    tcase_add_test(tc, reset_forgets);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(lru_suite())

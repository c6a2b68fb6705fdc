/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The line map against a plain array, at the ends of the number range, and short of memory.
 */
#include "base/linemap.h"
#include "base/rng.h"
#include "failing_mem.h"
#include "suite.h"

enum { LINES = 20000 };

/* Line numbers in runs of random place and length, neighbours of earlier ones included. */
static uint64_t next_line(plussi_rng *rng, uint64_t last)
{
    uint64_t kind = plussi_rng_below(rng, 16);
    if (kind == 0)
        return plussi_rng_below(rng, LINES);
    if (kind == 1)
        return (last + 125) % LINES;
    return (last + 1) % LINES;
}

START_TEST(as_an_array)
{
    static uint64_t expected[LINES];
    plussi_linemap map;
    plussi_rng rng;
    plussi_rng_seed(&rng, 3, 0);
    plussi_linemap_init(&map, &plussi_mem_libc);
    uint64_t line = 0;
    for (uint64_t k = 1; k <= 300000; k++) {
        line = next_line(&rng, line);
        uint64_t *value = plussi_linemap_at(&map, line);
        ck_assert_ptr_nonnull(value);
        ck_assert_uint_eq(*value, expected[line]);
        *value = expected[line] = plussi_rng_below(&rng, 4) ? k : 0;
    }
    for (line = 0; line < LINES; line++)
        ck_assert_uint_eq(*plussi_linemap_at(&map, line), expected[line]);

    plussi_linemap_clear(&map);
    for (line = 0; line < LINES; line++)
        ck_assert_uint_eq(*plussi_linemap_at(&map, line), 0);
    plussi_linemap_free(&map);
}
END_TEST

START_TEST(pointers_stay_valid)
{
    enum { N = 5000 };
    static uint64_t *at[N];
    plussi_linemap map;
    plussi_linemap_init(&map, &plussi_mem_libc);
    for (uint64_t i = 0; i < N; i++)
        *(at[i] = plussi_linemap_at(&map, i * 977)) = i + 1;
    for (uint64_t i = 0; i < N; i++) {
        ck_assert_ptr_eq(plussi_linemap_at(&map, i * 977), at[i]);
        ck_assert_uint_eq(*at[i], i + 1);
    }
    plussi_linemap_free(&map);
}
END_TEST

START_TEST(any_line_number)
{
    const uint64_t line[] = {0,         1, 63, 64, UINT32_MAX, (uint64_t)1 << 58, UINT64_MAX - 64,
                             UINT64_MAX};
    enum { N = sizeof line / sizeof *line };
    plussi_linemap map;
    plussi_linemap_init(&map, &plussi_mem_libc);
    for (uint64_t i = 0; i < N; i++)
        *plussi_linemap_at(&map, line[i]) = i + 1;
    for (uint64_t i = 0; i < N; i++)
        ck_assert_uint_eq(*plussi_linemap_at(&map, line[i]), i + 1);
    plussi_linemap_free(&map);
}
END_TEST

/* Bytes asked for, to hold the map to its promise. */
static void *counting_resize(void *user, void *ptr, size_t bytes)
{
    *(size_t *)user += bytes;
    return plussi_mem_libc.resize(NULL, ptr, bytes);
}

START_TEST(memory_follows_the_touched_lines)
{
    enum { N = 1 << 16 };
    size_t bytes = 0;
    plussi_mem mem = {counting_resize, &bytes};
    plussi_linemap map;
    plussi_linemap_init(&map, &mem);
    for (uint64_t i = 0; i < N; i++)
        *plussi_linemap_at(&map, ((uint64_t)1 << 40) + i) = 1;
    ck_assert_uint_lt(bytes, 10 * N);
    plussi_linemap_free(&map);
}
END_TEST

START_TEST(short_of_memory)
{
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_linemap map;
        plussi_linemap_init(&map, &m.mem);
        uint64_t done = 0;
        for (; done < 200; done++) {
            uint64_t *value = plussi_linemap_at(&map, done * 100);
            if (!value)
                break;
            *value = done + 1;
        }
        ck_assert_int_eq(m.failed, done < 200);
        for (uint64_t i = 0; i < done; i++) /* what was there still is */
            ck_assert_uint_eq(*plussi_linemap_at(&map, i * 100), i + 1);
        plussi_linemap_free(&map);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *linemap_suite(void)
{
    Suite *suite = suite_create("linemap");
    TCase *tc = tcase_create("linemap");
    tcase_add_test(tc, as_an_array);
    tcase_add_test(tc, pointers_stay_valid);
    tcase_add_test(tc, any_line_number);
    tcase_add_test(tc, memory_follows_the_touched_lines);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(linemap_suite())

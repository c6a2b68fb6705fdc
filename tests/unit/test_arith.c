/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checked arithmetic, floor division, intervals, and the random number generator.
 */
#include "base/arith.h"

#include <math.h>

#include "base/rng.h"
#include "suite.h"

START_TEST(overflow_is_seen)
{
    uint64_t u;
    int64_t s;
    ck_assert(!plussi_add_over(UINT64_MAX - 1, (uint64_t)1, &u) && u == UINT64_MAX);
    ck_assert(plussi_add_over(UINT64_MAX, (uint64_t)1, &u));
    ck_assert(plussi_sub_over((uint64_t)0, (uint64_t)1, &u));
    ck_assert(!plussi_mul_over((uint64_t)1 << 32, ((uint64_t)1 << 32) - 1, &u));
    ck_assert(plussi_mul_over((uint64_t)1 << 32, (uint64_t)1 << 32, &u));
    ck_assert(plussi_add_over(INT64_MAX, (int64_t)1, &s));
    ck_assert(plussi_sub_over(INT64_MIN, (int64_t)1, &s));
    ck_assert(plussi_mul_over(INT64_MIN, (int64_t)-1, &s));
    ck_assert(!plussi_mul_over(INT64_MAX, (int64_t)-1, &s) && s == -INT64_MAX);
}
END_TEST

START_TEST(floor_division)
{
    for (int64_t a = -30; a <= 30; a++)
        for (int64_t b = -7; b <= 7; b++) {
            if (b == 0)
                continue;
            double exact = (double)a / (double)b;
            ck_assert_int_eq(plussi_floordiv(a, b), (int64_t)floor(exact));
            ck_assert_int_eq(plussi_ceildiv(a, b), (int64_t)ceil(exact));
            ck_assert_int_eq(plussi_floormod(a, b), a - b * (int64_t)floor(exact));
            if (b > 0)
                ck_assert(plussi_floormod(a, b) >= 0 && plussi_floormod(a, b) < b);
        }
    ck_assert(plussi_floordiv(INT64_MIN, 3) == INT64_MIN / 3 - 1);
    ck_assert(plussi_ceildiv(INT64_MAX, 2) == INT64_MAX / 2 + 1);
    ck_assert(plussi_floordiv(INT64_MIN, INT64_MAX) == -2);
    ck_assert(plussi_floormod(INT64_MIN, INT64_MAX) == INT64_MAX - 1);
}
END_TEST

START_TEST(intervals)
{
    for (int64_t lo = -3; lo <= 3; lo++)
        for (int64_t hi = -3; hi <= 3; hi++)
            for (int64_t other = -3; other <= 3; other++) {
                plussi_interval a = {lo, hi}, b = {other, other + 2};
                plussi_interval meet = plussi_interval_meet(a, b);
                ck_assert_int_eq(plussi_interval_empty(a), lo > hi);
                for (int64_t x = -6; x <= 6; x++)
                    ck_assert_int_eq(meet.lo <= x && x <= meet.hi,
                                     lo <= x && x <= hi && b.lo <= x && x <= b.hi);
                if (lo > hi)
                    continue;
                plussi_interval scaled = plussi_interval_scale(a, other);
                ck_assert(scaled.lo == plussi_min64(lo * other, hi * other));
                ck_assert(scaled.hi == plussi_max64(lo * other, hi * other));
            }
}
END_TEST

/* The generators' published sequences. */
START_TEST(known_numbers)
{
    uint64_t state = 0;
    ck_assert_uint_eq(plussi_splitmix64(&state), 0xe220a8397b1dcdafu);
    ck_assert_uint_eq(plussi_splitmix64(&state), 0x6e789e6aa1b965f4u);
    ck_assert_uint_eq(plussi_splitmix64(&state), 0x06c45d188009454fu);
    plussi_rng rng = {{1, 2, 3, 4}};
    const uint64_t expected[] = {
        11520u, 0u, 1509978240u, 1215971899390074240u, 1216172134540287360u, 607988272756665600u};
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(plussi_rng_next(&rng), expected[i]);
}
END_TEST

START_TEST(streams_differ)
{
    enum { N = 200 };
    static uint64_t first[2 * N];
    for (uint64_t i = 0; i < 2 * N; i++) {
        plussi_rng rng, same;
        plussi_rng_seed(&rng, i / N, i % N);
        plussi_rng_seed(&same, i / N, i % N);
        first[i] = plussi_rng_next(&rng);
        ck_assert_uint_eq(first[i], plussi_rng_next(&same));
        for (uint64_t k = 0; k < i; k++)
            ck_assert_uint_ne(first[i], first[k]);
    }
}
END_TEST

/* Chi-square over n cells: mean n - 1, deviation sqrt(2 (n - 1)); allow six of them. */
static void check_uniform(uint64_t n)
{
    enum { DRAWS = 200000, CELLS = 64 };
    unsigned count[CELLS] = {0};
    size_t cells = n < CELLS ? n : CELLS;
    plussi_rng rng;
    plussi_rng_seed(&rng, 50, n);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t x = plussi_rng_below(&rng, n);
        ck_assert_uint_lt(x, n);
        count[(size_t)((unsigned __int128)x * cells / n)]++;
    }
    double chi = 0;
    for (size_t c = 0; c < cells; c++) { /* a cell holds the x with floor(x cells / n) = c */
        unsigned __int128 lo = ((unsigned __int128)c * n + cells - 1) / cells;
        unsigned __int128 hi = ((unsigned __int128)(c + 1) * n + cells - 1) / cells;
        double expected = DRAWS * ((double)(hi - lo) / (double)n);
        chi += (count[c] - expected) * (count[c] - expected) / expected;
    }
    ck_assert(chi < (double)(cells - 1) + 6 * sqrt(2. * (double)cells));
}

START_TEST(below_is_uniform)
{
    const uint64_t n[] = {1, 2, 3, 10, 64, 1000, (uint64_t)3 << 62, UINT64_MAX};
    check_uniform(n[_i]);
}
END_TEST

START_TEST(unit_interval)
{
    enum { N = 1000000 };
    double sum = 0, squares = 0;
    plussi_rng rng;
    plussi_rng_seed(&rng, 51, 0);
    for (int i = 0; i < N; i++) {
        double x = plussi_rng_unit(&rng);
        if (!(x >= 0 && x < 1))
            ck_abort_msg("%g", x);
        sum += x;
        squares += x * x;
    }
    ck_assert(fabs(sum / N - .5) < 6 * sqrt(1. / 12 / N));
    ck_assert(fabs(squares / N - 1. / 3) < 6 * sqrt(4. / 45 / N));
}
END_TEST

static Suite *arith_suite(void)
{
    Suite *suite = suite_create("arith");
    TCase *tc = tcase_create("arith");
    tcase_add_test(tc, overflow_is_seen);
    tcase_add_test(tc, floor_division);
    tcase_add_test(tc, intervals);
    tcase_add_test(tc, known_numbers);
    tcase_add_test(tc, streams_differ);
    tcase_add_loop_test(tc, below_is_uniform, 0, 8);
    tcase_add_test(tc, unit_interval);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(arith_suite())

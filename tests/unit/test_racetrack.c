/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/rng.h"
#include "failing_mem.h"
#include "model/bins.h"
#include "model/racetrack.h"
#include "suite.h"

static plussi_histo h;

static void setup(void)
{
    plussi_histo_init(&h, &plussi_mem_libc);
}
static void teardown(void)
{
    plussi_histo_free(&h);
}

static double mean_of(const plussi_histo *x)
{
    double sum = 0;
    for (size_t i = 0; i < x->cap; i++)
        sum += (double)x->slot[i].key * x->slot[i].weight;
    return sum;
}

/* Every bin of the range is there with the weight of the formula, none is written over another. */
static void check_bins(uint64_t interval, uint32_t T, unsigned bits)
{
    ck_assert_int_eq(plussi_racetrack_split(interval, T, bits, &h), PLUSS_OK);
    ck_assert_double_eq_tol(plussi_histo_total(&h), 1, 1e-14);
    size_t bins = 0;
    for (uint64_t key = 1, first, last; key <= interval; key = last + 1) {
        plussi_bin_range(key, bits, &first, &last);
        if (last > interval)
            last = interval;
        double a = ((double)key - 1) / (double)interval, b = (double)last / (double)interval;
        double expected = pow(1 - a, T - 1.0) - pow(1 - b, T - 1.0), got = 0;
        for (size_t i = 0; i < h.cap; i++)
            if (h.slot[i].weight != 0 && h.slot[i].key >= key && h.slot[i].key <= last)
                got += h.slot[i].weight;
        ck_assert_double_eq_tol(got, expected, 1e-13);
        bins++;
    }
    ck_assert_uint_le(h.n, bins);
    ck_assert(plussi_histo_get(&h, 0) == 0);
}

START_TEST(bins_hold_the_formula)
{
    static const uint64_t interval[] = {1, 2, 3, 16, 100, 257, 5000, 100003};
    static const uint32_t T[] = {2, 3, 4, 16, 64, 1000};
    for (size_t i = 0; i < sizeof interval / sizeof *interval; i++)
        for (size_t j = 0; j < sizeof T / sizeof *T; j++) {
            check_bins(interval[i], T[j], 6);
            check_bins(interval[i], T[j], 1);
        }
    check_bins(3000, 4, 8);
}
END_TEST

START_TEST(one_runner_is_identity)
{
    static const uint64_t interval[] = {1, 5, 4711, UINT64_MAX};
    for (size_t i = 0; i < sizeof interval / sizeof *interval; i++) {
        ck_assert_int_eq(plussi_racetrack_split(interval[i], 1, 8, &h), PLUSS_OK);
        ck_assert_uint_eq(h.n, 1);
        ck_assert(plussi_histo_get(&h, interval[i]) == 1);
    }
}
END_TEST

/* T pieces make up the interval: each is interval / T on average (and half an access more, for a
 * length in [k-1, k) counts as k). Rounding a key to an integer moves it by half of one at most. */
START_TEST(mean_is_an_equal_share)
{
    static const uint64_t interval[] = {1000, 123456, (uint64_t)1 << 40, UINT64_MAX};
    for (size_t i = 0; i < sizeof interval / sizeof *interval; i++)
        for (uint32_t T = 2; T <= 256; T *= 2) {
            ck_assert_int_eq(plussi_racetrack_split(interval[i], T, 8, &h), PLUSS_OK);
            double share = (double)interval[i] / T;
            ck_assert_double_eq_tol(mean_of(&h), share + 0.5, 0.5 + 1e-9 * share);
            ck_assert_double_eq_tol(plussi_histo_total(&h), 1, 1e-14);
        }
}
END_TEST

/* The key of a bin is the mean of the density (T-1)(1-x)^(T-2) over it, by Simpson's rule. */
START_TEST(keys_are_conditional_means)
{
    double R = 100000;
    for (uint32_t T = 2; T <= 64; T *= 2) {
        ck_assert_int_eq(plussi_racetrack_split(100000, T, 2, &h), PLUSS_OK);
        for (size_t i = 0; i < h.cap; i++) {
            if (h.slot[i].weight < 1e-6)
                continue;
            uint64_t first, last;
            plussi_bin_range(h.slot[i].key, 2, &first, &last);
            double a = (double)first - 1, b = fmin((double)last, R), mass = 0, moment = 0;
            for (int k = 0; k <= 2000; k++) {
                double x = a + (b - a) * k / 2000, f = pow(1 - x / R, T - 2.0);
                double w = (k == 0 || k == 2000) ? 1 : k % 2 ? 4 : 2;
                mass += w * f;
                moment += w * f * x;
            }
            ck_assert_double_eq_tol((double)h.slot[i].key, moment / mass + 0.5, 0.51);
        }
    }
}
END_TEST

/* Points dropped on a circle and the gap before one of them: the story behind the formula. */
START_TEST(agrees_with_runners_on_a_track)
{
    enum { DROPS = 200000, R = 1000, T = 5, EDGES = 6 };
    static const double edge[EDGES] = {20, 50, 100, 200, 400, 700};
    double below[EDGES] = {0};
    plussi_rng rng;
    plussi_rng_seed(&rng, 7, 0);
    for (int drop = 0; drop < DROPS; drop++) {
        double gap = 1;
        for (int k = 1; k < T; k++)
            gap = fmin(gap, plussi_rng_unit(&rng));
        for (int e = 0; e < EDGES; e++)
            below[e] += gap * R < edge[e];
    }
    ck_assert_int_eq(plussi_racetrack_split(R, T, 10, &h), PLUSS_OK);
    for (int e = 0; e < EDGES; e++) {
        double model = 0, seen = below[e] / DROPS;
        for (size_t i = 0; i < h.cap; i++)
            if (h.slot[i].weight != 0 && (double)h.slot[i].key <= edge[e])
                model += h.slot[i].weight;
        ck_assert_double_eq_tol(model, seen, 5 * sqrt(seen * (1 - seen) / DROPS));
    }
}
END_TEST

START_TEST(errors_leave_out_untouched)
{
    ck_assert_int_eq(plussi_histo_add(&h, 77, 5), PLUSS_OK);
    ck_assert_int_eq(plussi_racetrack_split(0, 4, 8, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_racetrack_split(10, 0, 8, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_racetrack_split(10, 4, 0, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_racetrack_split(10, 4, 21, &h), PLUSS_EINVAL);
    ck_assert(plussi_histo_get(&h, 77) == 5 && h.n == 1);
}
END_TEST

START_TEST(survives_lack_of_memory)
{
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_histo out;
        plussi_histo_init(&out, &m.mem);
        pluss_status status = plussi_racetrack_split(1000, 4, 4, &out);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert_int_eq(out.n > 0, status == PLUSS_OK);
        plussi_histo_free(&out);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("racetrack");
    TCase *c = tcase_create("split");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, bins_hold_the_formula);
    tcase_add_test(c, one_runner_is_identity);
    tcase_add_test(c, mean_is_an_equal_share);
    tcase_add_test(c, keys_are_conditional_means);
    tcase_add_test(c, agrees_with_runners_on_a_track);
    tcase_add_test(c, errors_leave_out_untouched);
    tcase_add_test(c, survives_lack_of_memory);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "failing_mem.h"
#include "model/bins.h"
#include "model/nbd.h"
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

/* Equation 1 as it stands there, term by term. */
static double pmf(uint64_t y, uint64_t r, double T)
{
    double n = (double)y, k = (double)r;
    double choose = lgamma(n) - lgamma(k) - lgamma(n - k + 1);
    return exp(choose - k * log(T) + (n - k) * log1p(-1 / T));
}

static double mean_of(const plussi_histo *x)
{
    double sum = 0;
    for (size_t i = 0; i < x->cap; i++)
        sum += (double)x->slot[i].key * x->slot[i].weight;
    return sum;
}

static double deviation_of(const plussi_histo *x)
{
    double sum = 0, mean = mean_of(x);
    for (size_t i = 0; i < x->cap; i++)
        sum +=
            ((double)x->slot[i].key - mean) * ((double)x->slot[i].key - mean) * x->slot[i].weight;
    return sqrt(sum);
}

/* Every bin holds the sum of equation 1 over its keys, up to the scale that the cut gives. */
static void check_bins(uint64_t r, uint32_t T, double cut, unsigned bits)
{
    ck_assert_int_eq(plussi_nbd_dilate(r, T, cut, bits, &h), PLUSS_OK);
    ck_assert_double_eq_tol(plussi_histo_total(&h), 1, 1e-12);
    double kept = 0;
    for (size_t i = 0; i < h.cap; i++) {
        if (h.slot[i].weight == 0)
            continue;
        uint64_t first, last;
        plussi_bin_range(h.slot[i].key, bits, &first, &last);
        ck_assert_uint_ge(h.slot[i].key, r);
        double mass = 0;
        for (uint64_t y = first < r ? r : first; y <= last; y++)
            mass += pmf(y, r, T);
        kept += mass;
        ck_assert_double_eq_tol(h.slot[i].weight, mass, 1.01 * cut * mass + 1e-11);
    }
    ck_assert_double_ge(kept, 1 - cut - 1e-9);
}

START_TEST(bins_hold_equation_1)
{
    static const uint64_t r[] = {1, 2, 3, 4, 17, 100, 255, 256, 1000, 2052};
    static const uint32_t T[] = {2, 3, 4, 16, 64};
    for (size_t i = 0; i < sizeof r / sizeof *r; i++)
        for (size_t j = 0; j < sizeof T / sizeof *T; j++)
            check_bins(r[i], T[j], 1e-4, 8);
    check_bins(50, 4, 1e-7, 3);
    check_bins(700, 8, 1e-5, 1);
    check_bins(700, 8, 1e-5, 20);
}
END_TEST

/* Beyond the reach of the incomplete beta function another formula takes over; both are checked
 * against the sum of equation 1, whose lgamma leaves about 1e-9 here. */
START_TEST(bins_hold_equation_1_for_long_intervals)
{
    static const uint64_t r[] = {99999, 100000, 400000};
    for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
        ck_assert_int_eq(plussi_nbd_dilate(r[i], 4, 1e-6, 10, &h), PLUSS_OK);
        for (size_t k = 0; k < h.cap; k++) {
            if (h.slot[k].weight == 0)
                continue;
            uint64_t first, last;
            double mass = 0;
            plussi_bin_range(h.slot[k].key, 10, &first, &last);
            for (uint64_t y = first; y <= last; y++)
                mass += pmf(y, r[i], 4);
            ck_assert_double_eq_tol(h.slot[k].weight, mass, 2e-6);
        }
    }
}
END_TEST

START_TEST(moments_are_those_of_the_distribution)
{
    static const uint64_t r[] = {1, 5, 60, 1500, 90000, 3000000};
    static const uint32_t T[] = {2, 4, 7, 64, 1024};
    for (size_t i = 0; i < sizeof r / sizeof *r; i++)
        for (size_t j = 0; j < sizeof T / sizeof *T; j++) {
            double mean = (double)r[i] * T[j], sd = sqrt((double)r[i] * T[j] * (T[j] - 1.0));
            ck_assert_int_eq(plussi_nbd_dilate(r[i], T[j], 1e-8, 14, &h), PLUSS_OK);
            ck_assert_double_eq_tol(mean_of(&h), mean, 1e-4 * mean);
            ck_assert_double_eq_tol(deviation_of(&h), sd, 1e-3 * sd + 1e-4 * mean);
        }
}
END_TEST

START_TEST(one_thread_is_identity)
{
    static const uint64_t r[] = {1, 2, 999, 1234567, UINT64_MAX};
    for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
        ck_assert_int_eq(plussi_nbd_dilate(r[i], 1, 1e-4, 8, &h), PLUSS_OK);
        ck_assert_uint_eq(h.n, 1);
        ck_assert(plussi_histo_get(&h, r[i]) == 1);
    }
}
END_TEST

/* An integer quotient 1/T would be 0, and an interval of 1 shifted to 0 would leave key 1 empty:
 * the next access is the same thread's with probability 1/T. */
START_TEST(interval_of_one_is_geometric)
{
    for (uint32_t T = 2; T <= 32; T *= 2) {
        ck_assert_int_eq(plussi_nbd_dilate(1, T, 1e-9, 8, &h), PLUSS_OK);
        ck_assert(plussi_histo_get(&h, 0) == 0);
        for (uint64_t y = 1; y < 20; y++)
            ck_assert_double_eq_tol(plussi_histo_get(&h, y), pow(1 - 1.0 / T, y - 1.0) / T, 1e-8);
    }
}
END_TEST

/* T is an argument: the same process evaluates any. */
START_TEST(team_size_is_a_run_time_value)
{
    double last = 0;
    for (uint32_t T = 1; T <= 4096; T *= 2) {
        ck_assert_int_eq(plussi_nbd_dilate(30, T, 1e-6, 12, &h), PLUSS_OK);
        ck_assert_double_eq_tol(mean_of(&h), 30.0 * T, 30.0 * T * 1e-3);
        ck_assert_double_gt(mean_of(&h), 1.9 * last);
        last = mean_of(&h);
    }
}
END_TEST

START_TEST(long_intervals_stay_cheap)
{
    static const uint64_t r[] = {10000, 1000000, 1000000000, (uint64_t)1 << 50};
    for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
        ck_assert_int_eq(plussi_nbd_dilate(r[i], 64, 1e-4, 8, &h), PLUSS_OK);
        ck_assert_uint_le(h.n, 40);
        ck_assert_double_eq_tol(plussi_histo_total(&h), 1, 1e-12);
        ck_assert_double_eq_tol(mean_of(&h), 64.0 * (double)r[i], 0.3 * (double)r[i]);
    }
    /* the top of the range of keys */
    ck_assert_int_eq(plussi_nbd_dilate(UINT64_MAX / 3, 3, 1e-4, 8, &h), PLUSS_OK);
    ck_assert_double_eq_tol(plussi_histo_total(&h), 1, 1e-12);
}
END_TEST

START_TEST(errors_leave_out_untouched)
{
    ck_assert_int_eq(plussi_histo_add(&h, 77, 5), PLUSS_OK);
    h.cold = 3;
    ck_assert_int_eq(plussi_nbd_dilate(UINT64_MAX / 2, 3, 1e-4, 8, &h), PLUSS_ERANGE);
    ck_assert_int_eq(plussi_nbd_dilate(0, 3, 1e-4, 8, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_nbd_dilate(5, 0, 1e-4, 8, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_nbd_dilate(5, 3, 0, 8, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_nbd_dilate(5, 3, 2e-4, 8, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_nbd_dilate(5, 3, NAN, 8, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_nbd_dilate(5, 3, 1e-4, 0, &h), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_nbd_dilate(5, 3, 1e-4, 21, &h), PLUSS_EINVAL);
    ck_assert(plussi_histo_get(&h, 77) == 5 && h.n == 1 && h.cold == 3);
    uint64_t x = 1;
    ck_assert_int_eq(plussi_nbd_mean(UINT64_MAX / 2, 3, &x), PLUSS_ERANGE);
    ck_assert_uint_eq(x, 1);
    ck_assert_int_eq(plussi_nbd_mean(1000, 3, &x), PLUSS_OK);
    ck_assert_uint_eq(x, 3000);
}
END_TEST

START_TEST(survives_lack_of_memory)
{
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_histo out;
        plussi_histo_init(&out, &m.mem);
        pluss_status status = plussi_nbd_dilate(300, 4, 1e-4, 8, &out);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert_int_eq(out.n > 0, status == PLUSS_OK);
        plussi_histo_free(&out);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

/* Mass of equation 1 outside of [c1 T r, c2 T r]. */
static double outside(uint64_t r, uint32_t T, const plussi_nbd_bound *b)
{
    double inside = 0, mean = (double)r * T;
    for (uint64_t y = (uint64_t)ceil(b->c1 * mean); (double)y <= b->c2 * mean; y++)
        inside += pmf(y, r, T);
    return 1 - inside;
}

START_TEST(threshold_keeps_its_promise)
{
    static const plussi_nbd_bound bounds[] = {{.9, 1.1, 1e-3}, {.8, 1.2, 1e-3},  {.6, 1.5, 1e-2},
                                              {.5, 2, .1},     {.95, 1.3, 1e-2}, {.7, 1.05, .1}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        uint64_t threshold = 0;
        ck_assert_int_eq(plussi_nbd_threshold(&bounds[i], &threshold), PLUSS_OK);
        for (uint32_t T = 2; T <= 32; T *= 4)
            ck_assert_double_le(outside(threshold + 1, T, &bounds[i]), bounds[i].epsilon);
        /* and is no idle number: a small part of it would not do */
        ck_assert_double_gt(outside(threshold / 20 + 1, 64, &bounds[i]), bounds[i].epsilon);
    }
}
END_TEST

START_TEST(threshold_by_hand)
{
    /* max(2 ln 2000 / (1.1 (1/11)^2), 3 ln 2000 / (.9 (1/9)^2)) = max(1672.2, 2052.2) */
    plussi_nbd_bound b = PLUSSI_NBD_BOUND_DEFAULT;
    uint64_t threshold = 0;
    ck_assert_int_eq(plussi_nbd_threshold(&b, &threshold), PLUSS_OK);
    ck_assert_uint_eq(threshold, 2052);
    static const plussi_nbd_bound bad[] = {{.49, 1.1, 1e-3},     {1, 1.1, 1e-3}, {.9, 1, 1e-3},
                                           {.9, INFINITY, 1e-3}, {.9, 1.1, 0},   {.9, 1.1, 1},
                                           {NAN, 1.1, 1e-3},     {.9, 1.1, NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(plussi_nbd_threshold(&bad[i], &threshold), PLUSS_EINVAL);
    plussi_nbd_bound tight = {1 - 1e-15, 1.1, 1e-3};
    ck_assert_int_eq(plussi_nbd_threshold(&tight, &threshold), PLUSS_ERANGE);
    ck_assert_uint_eq(threshold, 2052);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("nbd");
    TCase *c = tcase_create("dilate");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, bins_hold_equation_1);
    tcase_add_test(c, bins_hold_equation_1_for_long_intervals);
    tcase_add_test(c, moments_are_those_of_the_distribution);
    tcase_add_test(c, one_thread_is_identity);
    tcase_add_test(c, interval_of_one_is_geometric);
    tcase_add_test(c, team_size_is_a_run_time_value);
    tcase_add_test(c, long_intervals_stay_cheap);
    tcase_add_test(c, errors_leave_out_untouched);
    tcase_add_test(c, survives_lack_of_memory);
    suite_add_tcase(s, c);
    c = tcase_create("bound");
    tcase_add_test(c, threshold_keeps_its_promise);
    tcase_add_test(c, threshold_by_hand);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())

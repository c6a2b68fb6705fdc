/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Histograms against plain arrays; order, merging, the logarithmic scale, and lack of memory.
 */
#include "profile/histo.h"

#include <math.h>

#include "base/rng.h"
#include "failing_mem.h"
#include "histo_tools.h"
#include "suite.h"

enum { KEYS = 500 };

static void must(pluss_status status)
{
    ck_assert_int_eq(status, PLUSS_OK);
}

/* Integer weights: sums are exact in any order. */
static void fill(plussi_histo *h, uint64_t seed, size_t adds)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 0);
    for (size_t i = 0; i < adds; i++)
        must(plussi_histo_add(h, plussi_rng_below(&rng, KEYS) * 4096,
                              (double)plussi_rng_below(&rng, 9)));
    h->cold += (double)plussi_rng_below(&rng, 99);
    h->thread_first += (double)plussi_rng_below(&rng, 99);
}

START_TEST(as_an_array)
{
    double expected[KEYS] = {0}, total = 0;
    plussi_histo h;
    plussi_rng rng;
    plussi_rng_seed(&rng, 4, 0);
    plussi_histo_init(&h, &plussi_mem_libc);
    for (int i = 0; i < 20000; i++) {
        uint64_t k = plussi_rng_below(&rng, 1 + plussi_rng_below(&rng, KEYS));
        double w = (double)plussi_rng_below(&rng, 4);
        must(plussi_histo_add(&h, k * k * k, w));
        expected[k] += w;
        total += w;
    }
    size_t n = 0;
    for (uint64_t k = 0; k < KEYS; k++) {
        ck_assert(plussi_histo_get(&h, k * k * k) == expected[k]);
        n += expected[k] != 0;
    }
    ck_assert_uint_eq(h.n, n);
    h.cold = 5;
    h.thread_first = 7;
    ck_assert(plussi_histo_total(&h) == total + 12);

    plussi_bin *bin;
    must(plussi_histo_sorted(&h, &bin, &n));
    ck_assert_uint_eq(n, h.n);
    size_t at = 0;
    for (uint64_t k = 0; k < KEYS; k++)
        if (expected[k] != 0) {
            ck_assert(bin[at].key == k * k * k && bin[at].weight == expected[k]);
            at++;
        }
    plussi_free(&h.mem, bin);

    histo_clear(&h);
    ck_assert(h.n == 0 && plussi_histo_total(&h) == 0 && plussi_histo_get(&h, 1) == 0);
    plussi_histo_free(&h);
}
END_TEST

START_TEST(an_empty_one)
{
    plussi_histo h, other;
    plussi_histo_init(&h, &plussi_mem_libc);
    plussi_histo_init(&other, &plussi_mem_libc);
    ck_assert(plussi_histo_total(&h) == 0 && plussi_histo_get(&h, 0) == 0);
    must(plussi_histo_add(&h, 3, 0));
    must(plussi_histo_merge(&h, &other, 2));
    ck_assert_uint_eq(h.n, 0);
    ck_assert(histo_equal(&h, &other, 0));
    plussi_bin *bin;
    size_t n = 77;
    must(plussi_histo_sorted(&h, &bin, &n));
    ck_assert(n == 0 && bin != NULL);
    plussi_free(&h.mem, bin);
    histo_clear(&h);
    plussi_histo_free(&h);
}
END_TEST

START_TEST(bad_weights)
{
    const double bad[] = {-1, -1e-300, NAN, INFINITY};
    plussi_histo h, other;
    plussi_histo_init(&h, &plussi_mem_libc);
    plussi_histo_init(&other, &plussi_mem_libc);
    fill(&h, 5, 100);
    must(plussi_histo_merge(&other, &h, 1));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(plussi_histo_add(&h, 1, bad[i]), PLUSS_EINVAL);
        ck_assert_int_eq(plussi_histo_merge(&h, &other, bad[i]), PLUSS_EINVAL);
    }
    ck_assert(histo_equal(&h, &other, 0));
    plussi_histo_free(&h);
    plussi_histo_free(&other);
}
END_TEST

START_TEST(keys_at_the_ends)
{
    const uint64_t key[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63};
    plussi_histo h;
    plussi_histo_init(&h, &plussi_mem_libc);
    for (size_t i = 0; i < 5; i++)
        must(plussi_histo_add(&h, key[i], (double)i + 1));
    for (size_t i = 0; i < 5; i++)
        ck_assert(plussi_histo_get(&h, key[i]) == (double)i + 1);
    plussi_histo_free(&h);
}
END_TEST

START_TEST(merge_is_associative)
{
    plussi_histo part[3], left, right, inner;
    plussi_histo_init(&left, &plussi_mem_libc);
    plussi_histo_init(&right, &plussi_mem_libc);
    plussi_histo_init(&inner, &plussi_mem_libc);
    for (size_t i = 0; i < 3; i++) {
        plussi_histo_init(&part[i], &plussi_mem_libc);
        fill(&part[i], 6 + i, 30u << (3 * i));
    }
    must(plussi_histo_merge(&left, &part[0], 1));
    must(plussi_histo_merge(&left, &part[1], 1));
    must(plussi_histo_merge(&left, &part[2], 1));
    must(plussi_histo_merge(&inner, &part[1], 1));
    must(plussi_histo_merge(&inner, &part[2], 1));
    must(plussi_histo_merge(&right, &inner, 1));
    must(plussi_histo_merge(&right, &part[0], 1));
    ck_assert(histo_equal(&left, &right, 0));
    ck_assert(plussi_histo_total(&left) == plussi_histo_total(&part[0]) +
                                               plussi_histo_total(&part[1]) +
                                               plussi_histo_total(&part[2]));
    for (size_t i = 0; i < 3; i++)
        plussi_histo_free(&part[i]);
    plussi_histo_free(&left);
    plussi_histo_free(&right);
    plussi_histo_free(&inner);
}
END_TEST

START_TEST(merge_scales)
{
    plussi_histo h, twice;
    plussi_histo_init(&h, &plussi_mem_libc);
    plussi_histo_init(&twice, &plussi_mem_libc);
    fill(&h, 9, 300);
    must(plussi_histo_merge(&twice, &h, .5));
    must(plussi_histo_merge(&twice, &h, 1.5));
    must(plussi_histo_merge(&h, &h, 1)); /* with itself */
    ck_assert(histo_equal(&twice, &h, 0));
    must(plussi_histo_merge(&twice, &h, 0));
    ck_assert(histo_equal(&twice, &h, 0));
    plussi_histo_free(&h);
    plussi_histo_free(&twice);
}
END_TEST

START_TEST(equality_sees_every_field)
{
    plussi_histo a, b;
    plussi_histo_init(&a, &plussi_mem_libc);
    plussi_histo_init(&b, &plussi_mem_libc);
    fill(&a, 10, 200);
    must(plussi_histo_add(&a, 4096, 1));
    must(plussi_histo_merge(&b, &a, 1));
    ck_assert(histo_equal(&a, &b, 0));
    b.cold += 1;
    ck_assert(!histo_equal(&a, &b, 1e-9));
    b.cold = a.cold;
    b.thread_first += 1;
    ck_assert(!histo_equal(&a, &b, 1e-9));
    b.thread_first = a.thread_first;
    must(plussi_histo_add(&b, 4096, 1e-6));
    ck_assert(!histo_equal(&a, &b, 1e-9));
    ck_assert(histo_equal(&a, &b, 1e-3));
    must(plussi_histo_add(&a, 1, 1));
    must(plussi_histo_add(&b, 2, 1)); /* as many keys, but others */
    ck_assert(!histo_equal(&a, &b, 1e-3));
    plussi_histo_free(&a);
    plussi_histo_free(&b);
}
END_TEST

/* Sorting: ascending, stable, nothing lost; short and long, few and many differing bytes. */
START_TEST(bins_sort)
{
    enum { N = 3000 };
    static plussi_bin bin[N];
    const uint64_t ranges[] = {1, 7, 300, 1u << 20, UINT64_MAX};
    const size_t lengths[] = {0, 1, 2, 31, 33, 200, N};
    plussi_rng rng;
    plussi_rng_seed(&rng, 11, 0);
    for (size_t r = 0; r < 5; r++)
        for (size_t l = 0; l < 7; l++) {
            uint64_t sum = 0;
            for (size_t i = 0; i < lengths[l]; i++) {
                bin[i] = (plussi_bin){plussi_rng_below(&rng, ranges[r]), (double)i};
                sum += bin[i].key * (i + 1);
            }
            must(plussi_bins_sort(&plussi_mem_libc, bin, lengths[l]));
            for (size_t i = 0; i < lengths[l]; i++) {
                sum -= bin[i].key * ((uint64_t)bin[i].weight + 1);
                if (i > 0)
                    ck_assert(bin[i - 1].key < bin[i].key ||
                              (bin[i - 1].key == bin[i].key && bin[i - 1].weight < bin[i].weight));
            }
            ck_assert_uint_eq(sum, 0);
        }
}
END_TEST

START_TEST(quantise)
{
    for (unsigned bits = 1; bits <= 20; bits += bits < 8 ? 1 : 4) {
        plussi_rng rng;
        plussi_rng_seed(&rng, 12, bits);
        for (uint64_t key = 0; key < 1u << bits; key++)
            ck_assert_uint_eq(plussi_histo_quantise(key, bits), key);
        for (int i = 0; i < 5000; i++) {
            uint64_t key = plussi_rng_next(&rng) >> plussi_rng_below(&rng, 64);
            uint64_t q = plussi_histo_quantise(key, bits);
            double off = fabs((double)q - (double)key),
                   allowed = ldexp((double)key, -(int)bits - 1);
            ck_assert(off <= allowed); /* half a bin's width, which is at most key / 2^bits */
            ck_assert_uint_eq(plussi_histo_quantise(q, bits), q);
            if (key < UINT64_MAX)
                ck_assert_uint_ge(plussi_histo_quantise(key + 1, bits), q);
        }
        /* As many values an octave as promised. */
        uint64_t values = 0, last = 0;
        for (uint64_t key = (uint64_t)1 << 21; bits <= 16 && key < (uint64_t)1 << 22; key += 16) {
            uint64_t q = plussi_histo_quantise(key, bits);
            values += q != last;
            last = q;
        }
        ck_assert_uint_eq(values, bits <= 16 ? (uint64_t)1 << bits : 0);
    }
    ck_assert_uint_ge(plussi_histo_quantise(UINT64_MAX, 1), (uint64_t)3 << 62);
}
END_TEST

START_TEST(short_of_memory)
{
    for (long budget = 0;; budget += suite_step()) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_histo h, other, whole;
        plussi_histo_init(&h, &m.mem);
        plussi_histo_init(&other, &plussi_mem_libc);
        plussi_histo_init(&whole, &plussi_mem_libc);
        size_t done = 0;
        for (; done < 100; done++) {
            if (plussi_histo_add(&h, done, 1) != PLUSS_OK)
                break;
            must(plussi_histo_add(&whole, done, 1));
        }
        ck_assert(histo_equal(&h, &whole, 0));
        fill(&other, 13, 2000);
        if (plussi_histo_merge(&h, &other, 1) == PLUSS_OK)
            must(plussi_histo_merge(&whole, &other, 1));
        ck_assert(histo_equal(&h, &whole, 0)); /* merged as a whole or not at all */
        plussi_bin *bin = NULL;
        size_t n = 5;
        if (plussi_histo_sorted(&h, &bin, &n) == PLUSS_OK) {
            ck_assert_uint_eq(n, h.n);
            plussi_free(&h.mem, bin);
        } else {
            ck_assert(bin == NULL && n == 5);
        }
        plussi_histo_free(&h);
        plussi_histo_free(&other);
        plussi_histo_free(&whole);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *histo_suite(void)
{
    Suite *suite = suite_create("histo");
    TCase *tc = tcase_create("histo");
    tcase_add_test(tc, as_an_array);
    tcase_add_test(tc, an_empty_one);
    tcase_add_test(tc, bad_weights);
    tcase_add_test(tc, keys_at_the_ends);
    tcase_add_test(tc, merge_is_associative);
    tcase_add_test(tc, merge_scales);
    tcase_add_test(tc, equality_sees_every_field);
    tcase_add_test(tc, bins_sort);
    tcase_add_test(tc, quantise);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(histo_suite())

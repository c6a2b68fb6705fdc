/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Radix sort against the definition of a stable sort: keys ascend, and equal keys keep their order.
 */
#include <float.h>
#include <stdbool.h>

#include "base/radix.h"
#include "base/rng.h"
#include "suite.h"

enum { MOST = 5000, LENGTHS = 200 };

/* Keys of any width, the same ones often, few of them, or in order already. */
static uint64_t next_key(plussi_rng *rng, uint64_t kind, size_t i)
{
    switch (kind) {
    case 0:
        return plussi_rng_next(rng);
    case 1:
        return plussi_rng_below(rng, 7) << 40;
    case 2:
        return i / 3;
    case 3:
        return UINT64_MAX - plussi_rng_below(rng, 300);
    default:
        return plussi_rng_next(rng) & 0x00ff00ff0000ff01;
    }
}

START_TEST(stable)
{
    static plussi_keyed a[MOST], spare[MOST], before[MOST];
    plussi_rng rng;
    plussi_rng_seed(&rng, 5, 0);
    for (int turn = 0; turn < LENGTHS; turn++) {
        size_t n = (size_t)plussi_rng_below(&rng, turn % 2 ? 40 : MOST);
        static bool met[MOST];
        memset(met, 0, sizeof met);
        for (size_t i = 0; i < n; i++)
            before[i] = a[i] = (plussi_keyed){next_key(&rng, (uint64_t)turn % 5, i), (uint32_t)i};
        plussi_radix_sort(a, spare, n);
        for (size_t i = 0; i < n; i++) {
            ck_assert_uint_lt(a[i].index, n);
            ck_assert(!met[a[i].index]);
            met[a[i].index] = true;
            ck_assert_uint_eq(a[i].key, before[a[i].index].key);
            if (i > 0)
                ck_assert(a[i - 1].key < a[i].key ||
                          (a[i - 1].key == a[i].key && a[i - 1].index < a[i].index));
        }
    }
}
END_TEST

START_TEST(doubles_in_order)
{
    static const double ascending[] = {0, DBL_TRUE_MIN, DBL_MIN, 1e-9,  0.5,
                                       1, 1.5,          2,       1e300, DBL_MAX};
    for (size_t i = 1; i < sizeof ascending / sizeof *ascending; i++)
        ck_assert_uint_lt(plussi_radix_of_double(ascending[i - 1]),
                          plussi_radix_of_double(ascending[i]));
    ck_assert_uint_eq(plussi_radix_of_double(-0.0), 0);
}
END_TEST

static Suite *radix_suite(void)
{
    Suite *s = suite_create("radix");
    TCase *t = tcase_create("sort");
    tcase_add_test(t, stable);
    tcase_add_test(t, doubles_in_order);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(radix_suite())

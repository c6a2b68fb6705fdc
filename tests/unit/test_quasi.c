/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points spread evenly over the unit cube: each is uniform over the seeds, and sums over them are
 * nearer to integrals than those over independent points, for one axis and for several.
 */
#include <math.h>

#include "base/quasi.h"
#include "suite.h"

START_TEST(uniform)
{
    enum { SEEDS = 20000, CELLS = 16 };
    for (uint64_t turn = 0; turn < 200; turn += 67)
        for (uint32_t axis = 0; axis < PLUSSI_QUASI_AXES; axis += 5) {
            double chi = 0;
            uint32_t count[CELLS] = {0};
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                const double u = plussi_quasi_at(&(plussi_quasi){seed, turn}, axis);
                ck_assert(u > 0 && u < 1);
                count[(int)(CELLS * u)]++;
            }
            for (int i = 0; i < CELLS; i++)
                chi += pow(count[i] - (double)SEEDS / CELLS, 2) / ((double)SEEDS / CELLS);
            ck_assert_double_lt(chi, 50); /* 15 degrees of freedom: p = 1e-5 */
        }
}
END_TEST

/* The first of three independent others, as the threads of a window are. */
static double nearest(const plussi_quasi *point, uint32_t axis)
{
    const double a = plussi_quasi_at(point, axis), b = plussi_quasi_at(point, axis + 1);
    const double c = plussi_quasi_at(point, axis + 2);
    return a < 0.3 || b < 0.3 || c < 0.3;
}

START_TEST(even)
{
    enum { SEEDS = 200, N = 60 };
    static const double p = 1 - 0.7 * 0.7 * 0.7;
    double mean = 0;
    int worse = 0; /* than independent points: triples of axes that are nearly dependent */
    for (uint32_t axis = 0; axis + 3 <= PLUSSI_QUASI_AXES; axis++) {
        double one = 0, three = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            double sum = 0, all = 0;
            for (uint64_t turn = 0; turn < N; turn++) {
                const plussi_quasi point = {plussi_mix(seed, 99), turn};
                sum += plussi_quasi_at(&point, axis);
                all += nearest(&point, axis);
            }
            one += pow(sum / N - 0.5, 2) / SEEDS;
            three += pow(all / N - p, 2) / SEEDS;
        }
        ck_assert_double_lt(one, 0.5 / 12 / N); /* 12: of a uniform variate */
        worse += three > p * (1 - p) / N;
        mean += three / (PLUSSI_QUASI_AXES - 2);
    }
    ck_assert_int_le(worse, PLUSSI_QUASI_AXES / 5);
    ck_assert_double_lt(mean, 0.5 * p * (1 - p) / N);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("quasi");
    TCase *c = tcase_create("quasi");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, uniform);
    tcase_add_test(c, even);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())

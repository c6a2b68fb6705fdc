/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cascaval's thesis, section 4.1: stack distances and inter-reference distances as measures of
 * locality, tables 4.1 to 4.3.
 *
 * Stack distances count from 1, cold accesses are left out. Table 4.1 has the mean over variables
 * of the mean distance between two references to a variable. The inter-reference rows of table 4.3
 * follow from the same trace as other means: the temporal ones are the sum of the variables' means
 * over all references, the spatial ones the sum of all distances over all references.
 */
#include <math.h>
#include <string.h>

#include "../unit/suite.h"
#include "exact/lru.h"

enum { N = 100, TILE = 25, VARIABLES = 3 * N * N };

typedef struct measures {
    plussi_lru *lru;
    uint64_t line; /* bytes */
    uint64_t now, last[VARIABLES], references[VARIABLES];
    double apart[VARIABLES]; /* sum of inter-reference distances */
    double distances, reuses;
} measures;

static measures m;
static plussi_ctx ctx;

static void begin(uint64_t line)
{
    memset(&m, 0, sizeof m);
    m.line = line;
    plussi_ctx_init(&ctx, NULL);
    ck_assert_int_eq(plussi_lru_new(&ctx, &m.lru), PLUSS_OK);
}

static void end(void)
{
    plussi_lru_free(m.lru);
    plussi_ctx_clear(&ctx);
}

static uint64_t reference(uint64_t variable)
{
    const uint64_t d = plussi_lru_touch(m.lru, variable);
    m.now++;
    if (d != PLUSSI_LRU_COLD) {
        m.distances += (double)(d + 1);
        m.reuses++;
        m.apart[variable] += (double)(m.now - m.last[variable]);
        m.references[variable]++;
    }
    m.last[variable] = m.now;
    return d == PLUSSI_LRU_COLD ? 0 : d + 1;
}

/* Sum of the variables' mean distances, and how many have one; sum of all distances. */
static double sum_of_means(double *variables, double *sum)
{
    double means = 0;
    *variables = *sum = 0;
    for (int v = 0; v < VARIABLES; v++)
        if (m.references[v]) {
            means += m.apart[v] / (double)m.references[v];
            *sum += m.apart[v];
            ++*variables;
        }
    return means;
}

START_TEST(tables_4_1_and_4_2)
{
    static const char *const program[] = {"cababababc", "cabababababababc"};
    static const double mean[] = {13. / 3, 19. / 3};
    static const uint64_t at_2[] = {6, 12};
    uint64_t count[4] = {0};
    double variables, sum;
    begin(8);
    for (const char *x = program[_i]; *x; x++)
        count[reference((uint64_t)(*x - 'a'))]++;
    ck_assert_uint_eq(count[0], 3);
    ck_assert_uint_eq(count[1], 0);
    ck_assert_uint_eq(count[2], at_2[_i]);
    ck_assert_uint_eq(count[3], 1);
    const double means = sum_of_means(&variables, &sum);
    ck_assert_double_eq_tol(means / variables, mean[_i], 1e-9);
    end();
}
END_TEST

/* Column order; arrays one after another from the start of a line. */
static void touch(uint64_t array, uint64_t i, uint64_t j)
{
    (void)reference(((array * N + j) * N + i) * 8 / m.line);
}

static void multiply(uint64_t i, uint64_t j, uint64_t k)
{
    touch(0, i, j);
    touch(1, i, k);
    touch(2, k, j);
    touch(0, i, j);
}

static void classical(void)
{
    for (uint64_t i = 0; i < N; i++)
        for (uint64_t j = 0; j < N; j++)
            for (uint64_t k = 0; k < N; k++)
                multiply(i, j, k);
}

static void tiled_twice(void)
{
    for (uint64_t ii = 0; ii < N; ii += TILE)
        for (uint64_t jj = 0; jj < N; jj += TILE)
            for (uint64_t i = ii; i < ii + TILE; i++)
                for (uint64_t j = jj; j < jj + TILE; j++)
                    for (uint64_t k = 0; k < N; k++)
                        multiply(i, j, k);
}

static void tiled_thrice(void)
{
    for (uint64_t ii = 0; ii < N; ii += TILE)
        for (uint64_t kk = 0; kk < N; kk += TILE)
            for (uint64_t jj = 0; jj < N; jj += TILE)
                for (uint64_t j = jj; j < jj + TILE; j++)
                    for (uint64_t k = kk; k < kk + TILE; k++)
                        for (uint64_t i = ii; i < ii + TILE; i++)
                            multiply(i, j, k);
}

static const struct row {
    void (*run)(void);
    double temporal, temporal_apart; /* as printed (the first: 2619.890 there) */
    double spatial_32, spatial_128;  /* of this layout; the thesis does not give its own */
    double spatial_32_apart;         /* as printed */
} rows[] = {{classical, 2619.892, 101.005, 207.384, 43.842, 2650.007},
            {tiled_twice, 886.451, 101.005, 93.025, 34.948, 2650.007},
            {tiled_thrice, 367.794, 91.462, 29.750, 5.787, 2668.749}};

START_TEST(table_4_3)
{
    const struct row *r = &rows[_i];
    static const uint64_t lines[] = {8, 32, 128};
    const double expected[] = {r->temporal, r->spatial_32, r->spatial_128};
    for (int l = 0; l < 3; l++) {
        double variables, sum;
        begin(lines[l]);
        r->run();
        ck_assert_double_eq_tol(m.distances / m.reuses, expected[l], 0.0006);
        const double means = sum_of_means(&variables, &sum);
        if (l == 0)
            ck_assert_double_eq_tol(means / (double)m.now, r->temporal_apart, 0.0006);
        if (l == 1)
            ck_assert_double_eq_tol(sum / (double)m.now, r->spatial_32_apart, 0.0006);
        end();
    }
}
END_TEST

static Suite *locality_metric_suite(void)
{
    Suite *s = suite_create("locality_metric");
    TCase *t = tcase_create("tables");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, tables_4_1_and_4_2, 0, 2);
    tcase_add_loop_test(t, table_4_3, 0, 3);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(locality_metric_suite())

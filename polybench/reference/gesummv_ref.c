/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gesummv's reference: one sum of both products.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double(*A)[n] = mem[0];
    double(*B)[n] = mem[1];
    double *x = mem[3];
    double *y = mem[4];
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += (1.5 * A[i][j] + 1.2 * B[i][j]) * x[j];
        y[i] = sum;
    }
}

static void run(const int *sz, void **mem)
{
    kernel_gesummv(sz[0], 1.5, 1.2, mem[0], mem[1], mem[2], mem[3], mem[4]);
}

/* Sums of n positive terms: at most n + 4 roundings on either side. */
static double tolerance(const int *sz)
{
    return 2.0 * (sz[0] + 4) * DBL_EPSILON;
}

const kernel_case the_case = {
    .name = "gesummv",
    .symbols = {"n"},
    .arrays = {{"A", "n n"}, {"B", "n n"}, {"t", "n"}, {"x", "n"}, {"y", "n", .result = true}},
    .run = run,
    .expect = expect,
    .tolerance = tolerance};

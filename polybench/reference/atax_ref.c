/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * atax's reference: the rows of A one after the other, each serving both products at once.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*A)[n] = mem[0];
    double *x = mem[1];
    double *y = mem[2];
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < m; i++) {
        double product = 0.0;
        for (int j = 0; j < n; j++)
            product += A[i][j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] += A[i][j] * product;
    }
}

static void run(const int *sz, void **mem)
{
    kernel_atax(sz[0], sz[1], mem[0], mem[1], mem[2], mem[3]);
}

const kernel_case the_case = {
    .name = "atax",
    .symbols = {"m", "n"},
    .arrays = {{"A", "m n"}, {"x", "n"}, {"y", "n", .result = true}, {"t", "m"}},
    .run = run,
    .expect = expect};

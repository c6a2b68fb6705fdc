/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * symm's reference: the whole of A from its triangle, then the plain product.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*C)[n] = mem[0];
    double(*A)[m] = mem[1];
    double(*B)[n] = mem[2];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < m; k++)
                sum += (k <= i ? A[i][k] : A[k][i]) * B[k][j];
            C[i][j] = 1.2 * C[i][j] + 1.5 * sum;
        }
}

static void run(const int *sz, void **mem)
{
    kernel_symm(sz[0], sz[1], 1.5, 1.2, mem[0], mem[1], mem[2]);
}

/* Sums of m + 1 positive terms, in another order. */
static double tolerance(const int *sz)
{
    return 2.0 * (sz[0] + 5) * DBL_EPSILON;
}

const kernel_case the_case = {.name = "symm",
                              .symbols = {"m", "n"},
                              .arrays = {{"C", "m n", .result = true}, {"A", "m m"}, {"B", "m n"}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

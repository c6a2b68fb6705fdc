/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * syr2k's reference: every entry as two scalar products.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*C)[n] = mem[0];
    double(*A)[m] = mem[1];
    double(*B)[m] = mem[2];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double ab = 0.0, ba = 0.0;
            for (int k = 0; k < m; k++) {
                ab += A[i][k] * B[j][k];
                ba += B[i][k] * A[j][k];
            }
            C[i][j] = 1.2 * C[i][j] + 1.5 * (ab + ba);
        }
}

static void run(const int *sz, void **mem)
{
    kernel_syr2k(sz[1], sz[0], 1.5, 1.2, mem[0], mem[1], mem[2]);
}

/* Sums of 2 m + 1 positive terms, in another order. */
static double tolerance(const int *sz)
{
    return 2.0 * (2 * sz[0] + 5) * DBL_EPSILON;
}

const kernel_case the_case = {.name = "syr2k",
                              .symbols = {"m", "n"},
                              .arrays = {{"C", "n n", .result = true}, {"A", "n m"}, {"B", "n m"}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

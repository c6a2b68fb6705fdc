/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * syrk's reference: every entry as one sum in a scalar.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*C)[n] = mem[0];
    double(*A)[m] = mem[1];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 1.2 * C[i][j];
            for (int k = 0; k < m; k++)
                sum += 1.5 * A[i][k] * A[j][k];
            C[i][j] = sum;
        }
}

static void run(const int *sz, void **mem)
{
    kernel_syrk(sz[1], sz[0], 1.5, 1.2, mem[0], mem[1]);
}

const kernel_case the_case = {.name = "syrk",
                              .symbols = {"m", "n"},
                              .arrays = {{"C", "n n", .result = true}, {"A", "n m"}},
                              .run = run,
                              .expect = expect};

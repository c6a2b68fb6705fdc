/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * trmm's reference: out of place, from a copy of B.
 */
#include "driver.h"

#include <stdlib.h>

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*A)[m] = mem[0];
    double(*B)[n] = mem[1];
    double(*old)[n] = malloc(sizeof(double[m][n]));
    memcpy(old, B, sizeof(double[m][n]));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = old[i][j];
            for (int k = i + 1; k < m; k++)
                sum += A[k][i] * old[k][j];
            B[i][j] = 1.5 * sum;
        }
    free(old);
}

static void run(const int *sz, void **mem)
{
    kernel_trmm(sz[0], sz[1], 1.5, mem[0], mem[1]);
}

const kernel_case the_case = {.name = "trmm",
                              .symbols = {"m", "n"},
                              .arrays = {{"A", "m m"}, {"B", "m n", .result = true}},
                              .run = run,
                              .expect = expect};

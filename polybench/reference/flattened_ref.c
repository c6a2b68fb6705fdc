/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flattened's reference: two loops, over the rows of T.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int n = sz[0], m = sz[1];
    double(*T)[n] = mem[0];
    double(*A)[m] = mem[1];
    double *x = mem[2];
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            T[j][i] += A[i][j] * x[i];
}

static void run(const int *sz, void **mem)
{
    kernel_flattened(sz[0], sz[1], mem[0], mem[1], mem[2]);
}

const kernel_case the_case = {.name = "flattened",
                              .symbols = {"n", "m"},
                              .arrays = {{"T", "m n", .result = true}, {"A", "n m"}, {"x", "n"}},
                              .run = run,
                              .expect = expect};

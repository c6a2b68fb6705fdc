/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * seidel-2d's reference: row by row as defined, the neighbourhood in a loop.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int tsteps = sz[0], n = sz[1];
    double(*A)[n] = mem[0];
    for (int t = 0; t < tsteps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                double sum = 0.0;
                for (int u = i - 1; u <= i + 1; u++)
                    for (int v = j - 1; v <= j + 1; v++)
                        sum += A[u][v];
                A[i][j] = sum / 9.0;
            }
}

static void run(const int *sz, void **mem)
{
    kernel_seidel_2d(sz[0], sz[1], mem[0]);
}

const kernel_case the_case = {.name = "seidel-2d",
                              .symbols = {"tsteps", "n"},
                              .arrays = {{"A", "n n", .result = true}},
                              .run = run,
                              .expect = expect};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * jacobi_swap's reference: the grids in turn, a step as the sum of five shifted grids.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int tsteps = sz[0], n = sz[1];
    double(*A)[n] = mem[0];
    double(*B)[n] = mem[1];
    static const int down[] = {-1, 0, 0, 0, 1}, right[] = {0, -1, 0, 1, 0};
    for (int t = 0; t < tsteps; t++) {
        double(*from)[n] = t % 2 ? B : A, (*to)[n] = t % 2 ? A : B;
        for (int i = 1; i < n - 1; i++) {
            memset(&to[i][1], 0, (size_t)(n - 2) * sizeof(double));
            for (int s = 0; s < 5; s++)
                for (int j = 1; j < n - 1; j++)
                    to[i][j] += from[i + down[s]][j + right[s]] / 5.0;
        }
    }
}

static void run(const int *sz, void **mem)
{
    kernel_jacobi_swap(sz[0], sz[1], mem[0], mem[1]);
}

/* A mean never enlarges an error; a step adds some ten roundings. */
static double tolerance(const int *sz)
{
    return 10.0 * sz[0] * DBL_EPSILON;
}

const kernel_case the_case = {
    .name = "jacobi_swap",
    .symbols = {"tsteps", "n"},
    .arrays = {{"A", "n n", .result = true}, {"B", "n n", .result = true}},
    .run = run,
    .expect = expect,
    .tolerance = tolerance};

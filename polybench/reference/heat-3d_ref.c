/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * heat-3d's reference: A + (sum of the six neighbours - 6 A)/8, the grids in turn.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int tsteps = sz[0], n = sz[1];
    double(*A)[n][n] = mem[0];
    double(*B)[n][n] = mem[1];
    for (int half = 0; half < 2 * tsteps; half++) {
        double(*from)[n][n] = half % 2 ? B : A, (*to)[n][n] = half % 2 ? A : B;
        for (int k = 1; k < n - 1; k++)
            for (int j = 1; j < n - 1; j++)
                for (int i = 1; i < n - 1; i++) {
                    double around = from[i - 1][j][k] + from[i + 1][j][k] + from[i][j - 1][k] +
                                    from[i][j + 1][k] + from[i][j][k - 1] + from[i][j][k + 1];
                    to[i][j][k] = from[i][j][k] + (around - 6.0 * from[i][j][k]) / 8.0;
                }
    }
}

static void run(const int *sz, void **mem)
{
    kernel_heat_3d(sz[0], sz[1], mem[0], mem[1]);
}

/* A mean with positive weights (1/4 and six times 1/8) never enlarges an error; a half step adds
 * some ten roundings. */
static double tolerance(const int *sz)
{
    return 20.0 * sz[0] * DBL_EPSILON;
}

const kernel_case the_case = {
    .name = "heat-3d",
    .symbols = {"tsteps", "n"},
    .arrays = {{"A", "n n n", .result = true}, {"B", "n n n", .result = true}},
    .run = run,
    .expect = expect,
    .tolerance = tolerance};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * jacobi-1d's reference: the two lines in turn, from right to left.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int tsteps = sz[0], n = sz[1];
    double *A = mem[0];
    double *B = mem[1];
    for (int half = 0; half < 2 * tsteps; half++) {
        double *from = half % 2 ? B : A, *to = half % 2 ? A : B;
        for (int i = n - 2; i > 0; i--)
            to[i] = from[i - 1] / 3.0 + from[i] / 3.0 + from[i + 1] / 3.0;
    }
}

static void run(const int *sz, void **mem)
{
    kernel_jacobi_1d(sz[0], sz[1], mem[0], mem[1]);
}

/* A mean never enlarges an error; a half step adds some five roundings. */
static double tolerance(const int *sz)
{
    return 10.0 * sz[0] * DBL_EPSILON;
}

const kernel_case the_case = {.name = "jacobi-1d",
                              .symbols = {"tsteps", "n"},
                              .arrays = {{"A", "n", .result = true}, {"B", "n", .result = true}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

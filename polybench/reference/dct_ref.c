/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * dct's reference: the double sum over the block with the cosines themselves.
 */
#include "driver.h"

static void fill(const int *sz, void **mem)
{
    int n = sz[0];
    double(*C)[n] = mem[0];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            C[k][i] = sqrt((k ? 2.0 : 1.0) / n) * cos((2 * i + 1) * k * acos(-1.0) / (2 * n));
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double(*C)[n] = mem[0];
    double(*X)[n] = mem[1];
    double(*Y)[n] = mem[3];
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            Y[k][l] = 0.0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    Y[k][l] += X[i][j] * C[k][i] * C[l][j];
        }
}

static void run(const int *sz, void **mem)
{
    kernel_dct(sz[0], mem[0], mem[1], mem[2], mem[3]);
}

/* n^2 terms of up to 3/n in size, while the largest result, the mean times n, is about n: at most 3
 * n^2 roundings of n 2^-53 each, over n. */
static double tolerance(const int *sz)
{
    return 3.0 * sz[0] * sz[0] / sz[0] * DBL_EPSILON;
}

const kernel_case the_case = {
    .name = "dct",
    .symbols = {"n"},
    .arrays = {{"C", "n n"}, {"X", "n n"}, {"tmp", "n n"}, {"Y", "n n", .result = true}},
    .fill = fill,
    .run = run,
    .expect = expect,
    .tolerance = tolerance};

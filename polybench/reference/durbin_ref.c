/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * durbin's reference: the Toeplitz system set up and solved by elimination.
 */
#include "driver.h"

#include <stdlib.h>

static void fill(const int *sz, void **mem)
{
    int n = sz[0];
    double *r = mem[0];
    /* the other entries of a row of T add up to less than 0.62: well conditioned */
    for (int i = 0; i < n; i++)
        r[i] /= 8.0 * (i + 1) * (i + 1);
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double *r = mem[0];
    double *y = mem[1];
    double(*T)[n + 1] = malloc(sizeof(double[n][n + 1]));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            T[i][j] = i == j ? 1.0 : r[abs(i - j) - 1];
        T[i][n] = -r[i];
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = n; j >= k; j--)
                T[i][j] -= T[i][k] / T[k][k] * T[k][j];
    for (int i = n - 1; i >= 0; i--) {
        y[i] = T[i][n];
        for (int j = i + 1; j < n; j++)
            y[i] -= T[i][j] * y[j];
        y[i] /= T[i][i];
    }
    free(T);
}

static void run(const int *sz, void **mem)
{
    kernel_durbin(sz[0], mem[0], mem[1], mem[2]);
}

/* Condition at most 1.62/0.38 < 4.3; each side's backward error within some 4 n roundings. */
static double tolerance(const int *sz)
{
    return 2.0 * 4.3 * 4.0 * sz[0] * DBL_EPSILON;
}

const kernel_case the_case = {.name = "durbin",
                              .symbols = {"n"},
                              .arrays = {{"r", "n"}, {"y", "n", .result = true}, {"z", "n"}},
                              .fill = fill,
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

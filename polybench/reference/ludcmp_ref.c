/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ludcmp's reference: Doolittle's form, entry by entry; then row by row, y from the top and x from
 * the bottom.
 */
#include "driver.h"

static void fill(const int *sz, void **mem)
{
    int n = sz[0];
    double(*A)[n] = mem[0];
    for (int i = 0; i < n; i++)
        A[i][i] += n;
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double(*A)[n] = mem[0];
    double *b = mem[1];
    double *x = mem[2];
    double *y = mem[3];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double entry = A[i][j];
            for (int k = 0; k < MIN(i, j); k++)
                entry -= A[i][k] * A[k][j];
            A[i][j] = j < i ? entry / A[j][j] : entry;
        }

    for (int i = 0; i < n; i++) {
        y[i] = b[i];
        for (int j = 0; j < i; j++)
            y[i] -= A[i][j] * y[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        double rest = y[i];
        for (int j = n - 1; j > i; j--)
            rest -= A[i][j] * x[j];
        x[i] = rest / A[i][i];
    }
}

static void run(const int *sz, void **mem)
{
    kernel_ludcmp(sz[0], mem[0], mem[1], mem[2], mem[3]);
}

const kernel_case the_case = {.name = "ludcmp",
                              .symbols = {"n"},
                              .arrays = {{"A", "n n", .result = true},
                                         {"b", "n"},
                                         {"x", "n", .result = true},
                                         {"y", "n", .result = true}},
                              .fill = fill,
                              .run = run,
                              .expect = expect};

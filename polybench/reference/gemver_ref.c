/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gemver's reference: the rows of A one after the other; x is complete once all have passed, then
 * w.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double(*A)[n] = mem[0];
    double *u1 = mem[1];
    double *v1 = mem[2];
    double *u2 = mem[3];
    double *v2 = mem[4];
    double *w = mem[5];
    double *x = mem[6];
    double *y = mem[7];
    double *z = mem[8];
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] = A[i][j] + (u1[i] * v1[j] + u2[i] * v2[j]);
            x[j] += 1.2 * A[i][j] * y[i];
        }
    for (int i = 0; i < n; i++)
        x[i] = x[i] + z[i];
    memset(w, 0, (size_t)n * sizeof *w);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            w[i] += 1.5 * A[i][j] * x[j];
}

static void run(const int *sz, void **mem)
{
    kernel_gemver(sz[0], 1.5, 1.2, mem[0], mem[1], mem[2], mem[3], mem[4], mem[5], mem[6], mem[7],
                  mem[8]);
}

const kernel_case the_case = {.name = "gemver",
                              .symbols = {"n"},
                              .arrays = {{"A", "n n", .result = true},
                                         {"u1", "n"},
                                         {"v1", "n"},
                                         {"u2", "n"},
                                         {"v2", "n"},
                                         {"w", "n", .result = true},
                                         {"x", "n", .result = true},
                                         {"y", "n"},
                                         {"z", "n"}},
                              .run = run,
                              .expect = expect};

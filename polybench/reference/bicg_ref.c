/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * bicg's reference: the rows of A one after the other, each serving both products at once.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*A)[m] = mem[0];
    double *s = mem[1];
    double *q = mem[2];
    double *p = mem[3];
    double *r = mem[4];
    memset(s, 0, (size_t)m * sizeof *s);
    memset(q, 0, (size_t)n * sizeof *q);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
}

static void run(const int *sz, void **mem)
{
    kernel_bicg(sz[0], sz[1], mem[0], mem[1], mem[2], mem[3], mem[4]);
}

const kernel_case the_case = {.name = "bicg",
                              .symbols = {"m", "n"},
                              .arrays = {{"A", "n m"},
                                         {"s", "m", .result = true},
                                         {"q", "n", .result = true},
                                         {"p", "m"},
                                         {"r", "n"}},
                              .run = run,
                              .expect = expect};

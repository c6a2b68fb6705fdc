/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mvt's reference: the rows of A one after the other, each serving both products at once.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double *x1 = mem[0];
    double *x2 = mem[1];
    double *y1 = mem[2];
    double *y2 = mem[3];
    double(*A)[n] = mem[4];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x1[i] += A[i][j] * y1[j];
            x2[j] += A[i][j] * y2[i];
        }
}

static void run(const int *sz, void **mem)
{
    kernel_mvt(sz[0], mem[0], mem[1], mem[2], mem[3], mem[4]);
}

const kernel_case the_case = {.name = "mvt",
                              .symbols = {"n"},
                              .arrays = {{"x1", "n", .result = true},
                                         {"x2", "n", .result = true},
                                         {"y1", "n"},
                                         {"y2", "n"},
                                         {"A", "n n"}},
                              .run = run,
                              .expect = expect};

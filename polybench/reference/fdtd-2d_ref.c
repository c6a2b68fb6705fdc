/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fdtd-2d's reference: one sweep a step, all three fields point by point from the last to the
 * first: what a point needs of its successors is new by then, and nobody still needs its old hz.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int tmax = sz[0], nx = sz[1], ny = sz[2];
    double(*ex)[ny] = mem[0];
    double(*ey)[ny] = mem[1];
    double(*hz)[ny] = mem[2];
    double *pulse = mem[3];
    for (int t = 0; t < tmax; t++) {
        for (int j = ny - 1; j >= 0; j--)
            for (int i = nx - 1; i >= 0; i--) {
                ey[i][j] = i ? ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]) : pulse[t];
                if (j)
                    ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
                if (i < nx - 1 && j < ny - 1)
                    hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
            }
    }
}

static void run(const int *sz, void **mem)
{
    kernel_fdtd_2d(sz[0], sz[1], sz[2], mem[0], mem[1], mem[2], mem[3]);
}

const kernel_case the_case = {.name = "fdtd-2d",
                              .symbols = {"tmax", "nx", "ny"},
                              .arrays = {{"ex", "nx ny", .result = true},
                                         {"ey", "nx ny", .result = true},
                                         {"hz", "nx ny", .result = true},
                                         {"pulse", "tmax"}},
                              .run = run,
                              .expect = expect};

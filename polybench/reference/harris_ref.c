/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * harris's reference: pixel by pixel, the gradients of the window anew for each, as differences of
 * weighted sums.
 */
#include "driver.h"

#include <stdlib.h>

static void expect(const int *sz, void **mem)
{
    int h = sz[0], w = sz[1];
    double(*image)[w] = mem[0];
    double(*measure)[w] = mem[6];
    for (int i = 2; i < h - 2; i++)
        for (int j = 2; j < w - 2; j++) {
            double a = 0.0, b = 0.0, c = 0.0;
            for (int y = i - 1; y <= i + 1; y++)
                for (int z = j - 1; z <= j + 1; z++) {
                    double gx = 0.0, gy = 0.0;
                    for (int u = -1; u <= 1; u++) {
                        gx += (2 - abs(u)) * (image[y + u][z + 1] - image[y + u][z - 1]);
                        gy += (2 - abs(u)) * (image[y + 1][z + u] - image[y - 1][z + u]);
                    }
                    a += gx * gx;
                    b += gx * gy;
                    c += gy * gy;
                }
            double trace = a + c;
            measure[i][j] = a * c - b * b - 0.04 * trace * trace;
        }
}

static void run(const int *sz, void **mem)
{
    kernel_harris(sz[0], sz[1], 0.04, mem[0], mem[1], mem[2], mem[3], mem[4], mem[5], mem[6]);
}

/* Gradients err by some 16 roundings of 2^-53 against a typical size of 1; a, b, c by 2 * 16 + 11
 * of their size, their products by twice that, and the largest measure is at least a tenth of the
 * largest product. */
static double tolerance(const int *sz)
{
    (void)sz;
    return 10.0 * 2.0 * 43.0 * DBL_EPSILON;
}

const kernel_case the_case = {.name = "harris",
                              .symbols = {"h", "w"},
                              .arrays = {{"image", "h w"},
                                         {"dx", "h w"},
                                         {"dy", "h w"},
                                         {"xx", "h w"},
                                         {"xy", "h w"},
                                         {"yy", "h w"},
                                         {"measure", "h w", .result = true}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

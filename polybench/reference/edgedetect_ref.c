/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * edgedetect's reference: the nine weights of the smoothing at once, pixel by pixel.
 */
#include "driver.h"

#include <stdlib.h>

static double smooth_at(int h, int w, double image[h][w], int i, int j)
{
    double sum = 0.0;
    for (int u = -1; u <= 1; u++)
        for (int v = -1; v <= 1; v++)
            sum += (2 - abs(u)) * (2 - abs(v)) * image[i + u][j + v] / 16.0;
    return sum;
}

static void expect(const int *sz, void **mem)
{
    int h = sz[0], w = sz[1];
    double(*image)[w] = mem[0];
    double(*edge)[w] = mem[3];
    for (int i = 1; i < h - 2; i++)
        for (int j = 1; j < w - 2; j++)
            edge[i][j] = fabs(smooth_at(h, w, image, i, j) - smooth_at(h, w, image, i + 1, j + 1)) +
                         fabs(smooth_at(h, w, image, i, j + 1) - smooth_at(h, w, image, i + 1, j));
}

static void run(const int *sz, void **mem)
{
    kernel_edgedetect(sz[0], sz[1], mem[0], mem[1], mem[2], mem[3]);
}

/* Four smoothed values err by some nine roundings each at a size of up to 1.5; the largest edge is
 * at least 1/4. */
static double tolerance(const int *sz)
{
    (void)sz;
    return 4.0 * 9.0 * 6.0 * DBL_EPSILON;
}

const kernel_case the_case = {.name = "edgedetect",
                              .symbols = {"h", "w"},
                              .arrays = {{"image", "h w"},
                                         {"rows", "h w"},
                                         {"smooth", "h w"},
                                         {"edge", "h w", .result = true}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * deriche's reference: convolution with the filter's impulse response, h(k) = a1 (1 + alpha |k|)
 * exp(-alpha |k|), along the rows, then down the columns.
 */
#include "driver.h"

#include <stdlib.h>

#define ALPHA 0.25

static void expect(const int *sz, void **mem)
{
    int w = sz[0], h = sz[1];
    double(*in)[h] = mem[0];
    double(*out)[h] = mem[1];
    double(*y1)[h] = mem[2];
    double e = exp(-ALPHA), a1 = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * ALPHA * e - e * e);
    int longest = MAX(w, h);
    double response[longest];
    for (int k = 0; k < longest; k++)
        response[k] = a1 * (1.0 + ALPHA * k) * exp(-ALPHA * k);
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++) {
            y1[i][j] = 0.0;
            for (int k = 0; k < h; k++)
                y1[i][j] += response[abs(j - k)] * in[i][k];
        }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++) {
            out[i][j] = 0.0;
            for (int k = 0; k < w; k++)
                out[i][j] += response[abs(i - k)] * y1[k][j];
        }
}

static void run(const int *sz, void **mem)
{
    kernel_deriche(sz[0], sz[1], ALPHA, mem[0], mem[1], mem[2], mem[3]);
}

/* A recursion's double pole exp(-alpha) enlarges its roundings, 8 a point, by up to 1/(1 -
 * exp(-alpha))^2; two recursions a pass, two passes. */
static double tolerance(const int *sz)
{
    (void)sz;
    return 2.0 * 2.0 * 8.0 / ((1.0 - exp(-ALPHA)) * (1.0 - exp(-ALPHA))) * DBL_EPSILON;
}

const kernel_case the_case = {
    .name = "deriche",
    .symbols = {"w", "h"},
    .arrays = {{"in", "w h"}, {"out", "w h", .result = true}, {"y1", "w h"}, {"y2", "w h"}},
    .run = run,
    .expect = expect,
    .tolerance = tolerance};

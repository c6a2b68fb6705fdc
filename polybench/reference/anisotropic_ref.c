/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * anisotropic's reference: the flow from each of a pixel's four neighbours, into a copy of the
 * image.
 */
#include "driver.h"

#include <stdlib.h>

#define KAPPA 0.7
#define RATE 0.2

static double flow(double difference)
{
    return difference / (1.0 + pow(difference / KAPPA, 2.0));
}

static void fill(const int *sz, void **mem)
{
    int h = sz[1], w = sz[2];
    double(*east)[w + 1] = mem[1];
    double(*south)[w] = mem[2];
    memset(east, 0, sizeof(double[h][w + 1]));
    memset(south, 0, sizeof(double[h + 1][w]));
}

static void expect(const int *sz, void **mem)
{
    int tsteps = sz[0], h = sz[1], w = sz[2];
    double(*u)[w] = mem[0];
    double(*old)[w] = malloc(sizeof(double[h][w]));
    for (int t = 0; t < tsteps; t++) {
        memcpy(old, u, sizeof(double[h][w]));
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                double in = j > 0 ? flow(old[i][j - 1] - old[i][j]) : 0.0;
                in += j < w - 1 ? flow(old[i][j + 1] - old[i][j]) : 0.0;
                in += i > 0 ? flow(old[i - 1][j] - old[i][j]) : 0.0;
                in += i < h - 1 ? flow(old[i + 1][j] - old[i][j]) : 0.0;
                u[i][j] = old[i][j] + RATE * in;
            }
    }
    free(old);
}

static void run(const int *sz, void **mem)
{
    kernel_anisotropic(sz[0], sz[1], sz[2], KAPPA, RATE, mem[0], mem[1], mem[2]);
}

/* Stable (4 rate < 1, and the flow's slope lies within [-1/8, 1]): an error grows by at most 1 +
 * rate/2 a step, ten roundings are added a step. */
static double tolerance(const int *sz)
{
    return 10.0 * sz[0] * pow(1.1, sz[0]) * DBL_EPSILON;
}

const kernel_case the_case = {
    .name = "anisotropic",
    .symbols = {"tsteps", "h", "w"},
    .arrays = {{"u", "h w", .result = true}, {"east", "h w+1"}, {"south", "h+1 w"}},
    .fill = fill,
    .run = run,
    .expect = expect,
    .tolerance = tolerance};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * convolution's reference: from the input's side: every pixel is added to all results that it
 * weighs in.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int nb = sz[0], no = sz[1], ni = sz[2], nh = sz[3], nw = sz[4], nk = sz[5];
    double(*in)[ni][nh + nk - 1][nw + nk - 1] = mem[0];
    double(*weight)[ni][nk][nk] = mem[1];
    double *bias = mem[2];
    double(*out)[no][nh][nw] = mem[3];
    for (int b = 0; b < nb; b++)
        for (int o = 0; o < no; o++)
            for (int y = 0; y < nh; y++)
                for (int z = 0; z < nw; z++)
                    out[b][o][y][z] = bias[o];
    for (int b = 0; b < nb; b++)
        for (int c = ni - 1; c >= 0; c--)
            for (int y = 0; y < nh + nk - 1; y++)
                for (int z = 0; z < nw + nk - 1; z++)
                    for (int o = 0; o < no; o++)
                        for (int u = MAX(0, y - nh + 1); u <= MIN(nk - 1, y); u++)
                            for (int v = MAX(0, z - nw + 1); v <= MIN(nk - 1, z); v++)
                                out[b][o][y - u][z - v] += in[b][c][y][z] * weight[o][c][u][v];
}

static void run(const int *sz, void **mem)
{
    kernel_convolution(sz[0], sz[1], sz[2], sz[3], sz[4], sz[5], mem[0], mem[1], mem[2], mem[3]);
}

/* Sums of ni nk^2 + 1 positive terms, in another order. */
static double tolerance(const int *sz)
{
    return 2.0 * (sz[2] * sz[5] * sz[5] + 1) * DBL_EPSILON;
}

const kernel_case the_case = {.name = "convolution",
                              .symbols = {"nb", "no", "ni", "nh", "nw", "nk"},
                              .arrays = {{"in", "nb ni nh+nk-1 nw+nk-1"},
                                         {"weight", "no ni nk nk"},
                                         {"bias", "no"},
                                         {"out", "nb no nh nw", .result = true}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * vgg's reference: without borders: windows cut off at the image's edge, plane by plane.
 */
#include "driver.h"

#include <stdlib.h>

static void set(int h, int w, double out[h][w], double value)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y][x] = value;
}

static void add_window(int h, int w, double in[h][w], double weight[3][3], double out[h][w])
{
    for (int u = -1; u <= 1; u++)
        for (int v = -1; v <= 1; v++)
            for (int y = MAX(0, -u); y < MIN(h, h - u); y++)
                for (int x = MAX(0, -v); x < MIN(w, w - v); x++)
                    out[y][x] += in[y + u][x + v] * weight[u + 1][v + 1];
}

static void cut(int h, int w, double out[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y][x] = fmax(out[y][x], 0.0);
}

static void fill(const int *sz, void **mem)
{
    int nc = sz[0], nf = sz[1], h = sz[2], w = sz[3];
    double(*in)[h + 2][w + 2] = mem[0];
    double(*weight1)[nc][3][3] = mem[1];
    double(*mid)[h + 2][w + 2] = mem[3];
    double(*weight2)[nf][3][3] = mem[4];
    for (int c = 0; c < nc; c++)
        for (int y = 0; y < h + 2; y++)
            for (int z = 0; z < w + 2; z++)
                if (y == 0 || y == h + 1 || z == 0 || z == w + 1)
                    in[c][y][z] = 0.0;
    memset(mid, 0, sizeof(double[nf][h + 2][w + 2]));
    /* weights of both signs, so that sums do */
    for (double *p = &weight1[0][0][0][0]; p < &weight1[nf][0][0][0]; p++)
        *p -= 1.0;
    for (double *p = &weight2[0][0][0][0]; p < &weight2[nf][0][0][0]; p++)
        *p -= 1.0;
}

static void expect(const int *sz, void **mem)
{
    int nc = sz[0], nf = sz[1], h = sz[2], w = sz[3];
    double(*in)[h + 2][w + 2] = mem[0];
    double(*weight1)[nc][3][3] = mem[1];
    double *bias1 = mem[2];
    double(*weight2)[nf][3][3] = mem[4];
    double *bias2 = mem[5];
    double(*pool)[h / 2][w / 2] = mem[7];
    double(*image)[w] = malloc(sizeof(double[h][w]));
    double(*hidden)[h][w] = calloc((size_t)nf, sizeof *hidden);
    double(*out)[w] = malloc(sizeof(double[h][w]));
    for (int f = 0; f < nf; f++) {
        set(h, w, hidden[f], bias1[f]);
        for (int c = 0; c < nc; c++) {
            for (int y = 0; y < h; y++)
                memcpy(image[y], &in[c][y + 1][1], (size_t)w * sizeof(double));
            add_window(h, w, image, weight1[f][c], hidden[f]);
        }
        cut(h, w, hidden[f]);
    }
    for (int f = 0; f < nf; f++) {
        set(h, w, out, bias2[f]);
        for (int c = 0; c < nf; c++)
            add_window(h, w, hidden[c], weight2[f][c], out);
        cut(h, w, out);
        for (int y = 0; y < h / 2; y++)
            for (int z = 0; z < w / 2; z++)
                pool[f][y][z] = fmax(fmax(out[2 * y][2 * z], out[2 * y][2 * z + 1]),
                                     fmax(out[2 * y + 1][2 * z], out[2 * y + 1][2 * z + 1]));
    }
    free(image);
    free(hidden);
    free(out);
}

static void run(const int *sz, void **mem)
{
    kernel_vgg(sz[0], sz[1], sz[2], sz[3], mem[0], mem[1], mem[2], mem[3], mem[4], mem[5], mem[6],
               mem[7]);
}

const kernel_case the_case = {.name = "vgg",
                              .symbols = {"nc", "nf", "h", "w"},
                              .arrays = {{"in", "nc h+2 w+2"},
                                         {"weight1", "nf nc 3 3"},
                                         {"bias1", "nf"},
                                         {"mid", "nf h+2 w+2"},
                                         {"weight2", "nf nf 3 3"},
                                         {"bias2", "nf"},
                                         {"last", "nf h w"},
                                         {"pool", "nf h/2 w/2", .result = true}},
                              .fill = fill,
                              .run = run,
                              .expect = expect};

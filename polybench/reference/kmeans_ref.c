/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * kmeans's reference: centre by centre over all objects, from the last centre to the first, so that
 * of equally near ones the first remains.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int n = sz[1], nc = sz[2], nf = sz[3];
    double(*x)[nf] = mem[0], (*centre)[nf] = mem[1], *square = mem[3];
    int *nearest = mem[2];
    for (int c = nc - 1; c >= 0; c--)
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int f = 0; f < nf; f++)
                sum += (x[i][f] - centre[c][f]) * (x[i][f] - centre[c][f]);
            if (c == nc - 1 || sum <= square[i]) {
                square[i] = sum;
                nearest[i] = c;
            }
        }
}

static void run(const int *sz, void **mem)
{
    kernel_kmeans(sz[0], sz[1], sz[2], sz[3], mem[0], mem[1], mem[2], mem[3]);
}

const kernel_case the_case = {.name = "kmeans",
                              .symbols = {"steps", "n", "nc", "nf"},
                              .arrays = {{"x", "n nf"},
                                         {"centre", "nc nf"},
                                         {"nearest", "n", .result = true, .type = I32},
                                         {"square", "n", .result = true}},
                              .run = run,
                              .expect = expect};

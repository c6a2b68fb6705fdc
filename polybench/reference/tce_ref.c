/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tce's reference: the one sum over eight indices.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int nv = sz[0], no = sz[1];
    double(*A)[no][no][no] = mem[0];
    double(*C1)[no] = mem[1];
    double(*C2)[no] = mem[2];
    double(*C3)[no] = mem[3];
    double(*C4)[no] = mem[4];
    double(*B)[nv][nv][nv] = mem[8];
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++)
            for (int c = 0; c < nv; c++)
                for (int d = 0; d < nv; d++) {
                    double sum = 0.0;
                    for (int p = 0; p < no; p++)
                        for (int q = 0; q < no; q++)
                            for (int r = 0; r < no; r++)
                                for (int s = 0; s < no; s++)
                                    sum +=
                                        C1[a][p] * C2[b][q] * C3[c][r] * C4[d][s] * A[p][q][r][s];
                    B[a][b][c][d] = sum;
                }
}

static void run(const int *sz, void **mem)
{
    kernel_tce(sz[0], sz[1], mem[0], mem[1], mem[2], mem[3], mem[4], mem[5], mem[6], mem[7],
               mem[8]);
}

/* A sum of no^4 positive terms: at most as many roundings. */
static double tolerance(const int *sz)
{
    return 1.0 * sz[1] * sz[1] * sz[1] * sz[1] * DBL_EPSILON;
}

const kernel_case the_case = {.name = "tce",
                              .symbols = {"nv", "no"},
                              .arrays = {{"A", "no no no no"},
                                         {"C1", "nv no"},
                                         {"C2", "nv no"},
                                         {"C3", "nv no"},
                                         {"C4", "nv no"},
                                         {"T1", "nv no no no"},
                                         {"T2", "nv nv no no"},
                                         {"T3", "nv nv nv no"},
                                         {"B", "nv nv nv nv", .result = true}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * 3mm's reference: bracketed the other way, A (B (C D)), a column l at a time.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int ni = sz[0], nj = sz[1], nk = sz[2], nl = sz[3], nm = sz[4];
    double(*A)[nk] = mem[1];
    double(*B)[nj] = mem[2];
    double(*C)[nm] = mem[4];
    double(*D)[nl] = mem[5];
    double(*G)[nl] = mem[6];
    double cd[nj], bcd[nk];
    for (int l = 0; l < nl; l++) {
        for (int j = 0; j < nj; j++) {
            cd[j] = 0.0;
            for (int m = 0; m < nm; m++)
                cd[j] += C[j][m] * D[m][l];
        }
        for (int k = 0; k < nk; k++) {
            bcd[k] = 0.0;
            for (int j = 0; j < nj; j++)
                bcd[k] += B[k][j] * cd[j];
        }
        for (int i = 0; i < ni; i++) {
            G[i][l] = 0.0;
            for (int k = 0; k < nk; k++)
                G[i][l] += A[i][k] * bcd[k];
        }
    }
}

static void run(const int *sz, void **mem)
{
    kernel_3mm(sz[0], sz[1], sz[2], sz[3], sz[4], mem[0], mem[1], mem[2], mem[3], mem[4], mem[5],
               mem[6]);
}

/* Sums of positive terms: each of the three rounds at most as often as it has terms, twice. */
static double tolerance(const int *sz)
{
    return 2.0 * (sz[1] + sz[2] + sz[4] + 3) * DBL_EPSILON;
}

const kernel_case the_case = {.name = "3mm",
                              .symbols = {"ni", "nj", "nk", "nl", "nm"},
                              .arrays = {{"E", "ni nj"},
                                         {"A", "ni nk"},
                                         {"B", "nk nj"},
                                         {"F", "nj nl"},
                                         {"C", "nj nm"},
                                         {"D", "nm nl"},
                                         {"G", "ni nl", .result = true}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * 2mm's reference: a row of A B at a time, column k of the factors outside.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int ni = sz[0], nj = sz[1], nk = sz[2], nl = sz[3];
    double(*A)[nk] = mem[1];
    double(*B)[nj] = mem[2];
    double(*C)[nl] = mem[3];
    double(*D)[nl] = mem[4];
    double row[nj];
    for (int i = 0; i < ni; i++) {
        memset(row, 0, sizeof row);
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                row[j] += 1.5 * A[i][k] * B[k][j];
        for (int l = 0; l < nl; l++)
            D[i][l] *= 1.2;
        for (int j = 0; j < nj; j++)
            for (int l = 0; l < nl; l++)
                D[i][l] += row[j] * C[j][l];
    }
}

static void run(const int *sz, void **mem)
{
    kernel_2mm(sz[0], sz[1], sz[2], sz[3], 1.5, 1.2, mem[0], mem[1], mem[2], mem[3], mem[4]);
}

const kernel_case the_case = {.name = "2mm",
                              .symbols = {"ni", "nj", "nk", "nl"},
                              .arrays = {{"tmp", "ni nj"},
                                         {"A", "ni nk"},
                                         {"B", "nk nj"},
                                         {"C", "nj nl"},
                                         {"D", "ni nl", .result = true}},
                              .run = run,
                              .expect = expect};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gemm_tiled's reference: the untiled product, every element as one sum in a scalar.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int ni = sz[0], nj = sz[1], nk = sz[2];
    double(*C)[nj] = mem[0];
    double(*A)[nk] = mem[1];
    double(*B)[nj] = mem[2];
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            double sum = 1.2 * C[i][j];
            for (int k = 0; k < nk; k++)
                sum += 1.5 * A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}

static void run(const int *sz, void **mem)
{
    kernel_gemm_tiled(sz[0], sz[1], sz[2], 1.5, 1.2, mem[0], mem[1], mem[2]);
}

const kernel_case the_case = {
    .name = "gemm_tiled",
    .symbols = {"ni", "nj", "nk"},
    .arrays = {{"C", "ni nj", .result = true}, {"A", "ni nk"}, {"B", "nk nj"}},
    .run = run,
    .expect = expect};

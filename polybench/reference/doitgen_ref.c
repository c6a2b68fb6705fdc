/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * doitgen's reference: a row vector at a time, gathering the rows of C.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int nq = sz[0], nr = sz[1], np = sz[2];
    double(*A)[nq][np] = mem[0];
    double(*C)[np] = mem[1];
    double product[np];
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            memset(product, 0, sizeof product);
            for (int s = 0; s < np; s++)
                for (int p = 0; p < np; p++)
                    product[p] += A[r][q][s] * C[s][p];
            memcpy(A[r][q], product, sizeof product);
        }
}

static void run(const int *sz, void **mem)
{
    kernel_doitgen(sz[0], sz[1], sz[2], mem[0], mem[1], mem[2]);
}

const kernel_case the_case = {
    .name = "doitgen",
    .symbols = {"nq", "nr", "np"},
    .arrays = {{"A", "nr nq np", .result = true}, {"C", "np np"}, {"sum", "nr np"}},
    .run = run,
    .expect = expect};

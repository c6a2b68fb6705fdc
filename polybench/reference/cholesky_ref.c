/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cholesky's reference: row by row, each entry by the scalar product of two rows.
 */
#include "driver.h"

static void fill(const int *sz, void **mem)
{
    int n = sz[0];
    double(*A)[n] = mem[0];
    for (int i = 0; i < n; i++)
        A[i][i] += 2 * n;
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double(*A)[n] = mem[0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double entry = A[i][j];
            for (int k = 0; k < j; k++)
                entry -= A[i][k] * A[j][k];
            A[i][j] = j < i ? entry / A[j][j] : sqrt(entry);
        }
}

static void run(const int *sz, void **mem)
{
    kernel_cholesky(sz[0], mem[0]);
}

const kernel_case the_case = {.name = "cholesky",
                              .symbols = {"n"},
                              .arrays = {{"A", "n n", .result = true}},
                              .fill = fill,
                              .run = run,
                              .expect = expect};

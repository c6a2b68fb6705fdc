/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lu's reference: Doolittle's form, entry by entry with a scalar product each.
 */
#include "driver.h"

static void fill(const int *sz, void **mem)
{
    int n = sz[0];
    double(*A)[n] = mem[0];
    for (int i = 0; i < n; i++)
        A[i][i] += n;
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double(*A)[n] = mem[0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double entry = A[i][j];
            for (int k = 0; k < MIN(i, j); k++)
                entry -= A[i][k] * A[k][j];
            A[i][j] = j < i ? entry / A[j][j] : entry;
        }
}

static void run(const int *sz, void **mem)
{
    kernel_lu(sz[0], mem[0]);
}

const kernel_case the_case = {.name = "lu",
                              .symbols = {"n"},
                              .arrays = {{"A", "n n", .result = true}},
                              .fill = fill,
                              .run = run,
                              .expect = expect};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * trisolv's reference: row by row.
 */
#include "driver.h"

static void fill(const int *sz, void **mem)
{
    int n = sz[0];
    double(*L)[n] = mem[0];
    for (int i = 0; i < n; i++)
        L[i][i] += n;
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double(*L)[n] = mem[0];
    double *x = mem[1];
    double *b = mem[2];
    for (int i = 0; i < n; i++) {
        double rest = b[i];
        for (int j = 0; j < i; j++)
            rest -= L[i][j] * x[j];
        x[i] = rest / L[i][i];
    }
}

static void run(const int *sz, void **mem)
{
    kernel_trisolv(sz[0], mem[0], mem[1], mem[2]);
}

const kernel_case the_case = {.name = "trisolv",
                              .symbols = {"n"},
                              .arrays = {{"L", "n n"}, {"x", "n", .result = true}, {"b", "n"}},
                              .fill = fill,
                              .run = run,
                              .expect = expect};

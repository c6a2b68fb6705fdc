/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * spmv's reference: entry by entry from first to last, the row following.
 */
#include "driver.h"

static void fill(const int *sz, void **mem)
{
    int n = sz[0], nnz = sz[1];
    int *row = mem[3];
    int *col = mem[4];
    /* rows of nnz/n entries on the average, some half, some one and a half times as long, at
       ascending random columns */
    for (int i = 0; i <= n; i++) {
        double place = i == 0 || i == n ? i : i + 0.5 * (uniform_at(3, (unsigned)i) - 0.5);
        row[i] = (int)(place * nnz / n);
    }
    for (int i = 0; i < n; i++) {
        int length = row[i + 1] - row[i];
        for (int k = 0; k < length; k++)
            col[row[i] + k] = (int)((k + uniform_at(4, (unsigned)(row[i] + k))) * n / length);
    }
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0], nnz = sz[1];
    double *y = mem[0];
    double *value = mem[1];
    double *x = mem[2];
    int *row = mem[3];
    int *col = mem[4];
    int i = -1;
    for (int k = 0; k < nnz; k++) {
        while (k >= row[i + 1])
            y[++i] = 0.0;
        y[i] += value[k] * x[col[k]];
    }
    while (++i < n)
        y[i] = 0.0;
}

static void run(const int *sz, void **mem)
{
    kernel_spmv(sz[0], sz[1], mem[0], mem[1], mem[2], mem[3], mem[4]);
}

const kernel_case the_case = {.name = "spmv",
                              .symbols = {"n", "nnz"},
                              .arrays = {{"y", "n", .result = true},
                                         {"value", "nnz"},
                                         {"x", "n"},
                                         {"row", "n+1", .type = I32},
                                         {"col", "nnz", .type = I32}},
                              .fill = fill,
                              .run = run,
                              .expect = expect};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lu_blocked's reference: the whole matrix row by row, entry by entry with a scalar product each.
 */
#include "driver.h"

enum { BLOCK = 16 };

static double *entry(int nb, double *blocks, int i, int j)
{
    return blocks +
           (((size_t)(i / BLOCK) * (size_t)nb + (size_t)(j / BLOCK)) * BLOCK +
            (size_t)(i % BLOCK)) *
               BLOCK +
           j % BLOCK;
}

static void fill(const int *sz, void **mem)
{
    for (int i = 0; i < sz[0] * BLOCK; i++)
        *entry(sz[0], mem[0], i, i) += sz[0] * BLOCK;
}

static void expect(const int *sz, void **mem)
{
    int nb = sz[0], n = nb * BLOCK;
    double *A = mem[0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double value = *entry(nb, A, i, j);
            for (int k = 0; k < MIN(i, j); k++)
                value -= *entry(nb, A, i, k) * *entry(nb, A, k, j);
            *entry(nb, A, i, j) = j < i ? value / *entry(nb, A, j, j) : value;
        }
}

static void run(const int *sz, void **mem)
{
    kernel_lu_blocked(sz[0], mem[0]);
}

const kernel_case the_case = {.name = "lu_blocked",
                              .symbols = {"nb"},
                              .arrays = {{"A", "nb nb 16 16", .result = true}},
                              .fill = fill,
                              .run = run,
                              .expect = expect};

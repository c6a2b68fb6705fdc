/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * nussinov's reference: the recursion by its definition, from the last row up, with every split.
 */
#include "driver.h"

static void fill(const int *sz, void **mem)
{
    int n = sz[0];
    char *base = mem[0];
    for (int i = 0; i < n; i++)
        base[i] = (char)(4.0 * uniform_at(0, (unsigned)i));
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    char *base = mem[0];
    int(*most)[n] = mem[1];
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            int best = i + 1 < j ? most[i + 1][j - 1] + (base[i] + base[j] == 3) : 0;
            for (int k = i; k < j; k++)
                best = MAX(best, most[i][k] + most[k + 1][j]);
            most[i][j] = best;
        }
}

static void run(const int *sz, void **mem)
{
    kernel_nussinov(sz[0], mem[0], mem[1]);
}

const kernel_case the_case = {
    .name = "nussinov",
    .symbols = {"n"},
    .arrays = {{"base", "n", .type = I8}, {"most", "n n", .result = true, .type = I32}},
    .fill = fill,
    .run = run,
    .expect = expect};

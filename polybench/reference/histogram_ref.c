/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * histogram's reference: the keys sorted, then the length of every run.
 */
#include "driver.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

static void fill(const int *sz, void **mem)
{
    int n = sz[0], nbins = sz[1];
    int *key = mem[0];
    /* low bins more often than high ones */
    for (int i = 0; i < n; i++)
        key[i] = (int)(nbins * pow(uniform_at(0, (unsigned)i), 2.0));
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0], nbins = sz[1];
    int *key = mem[0];
    int *count = mem[1];
    int *sorted = malloc((size_t)n * sizeof *sorted);
    memcpy(sorted, key, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    memset(count, 0, (size_t)nbins * sizeof *count);
    for (int from = 0, to = 0; from < n; from = to) {
        while (to < n && sorted[to] == sorted[from])
            to++;
        count[sorted[from]] = to - from;
    }
    free(sorted);
}

static void run(const int *sz, void **mem)
{
    kernel_histogram(sz[0], sz[1], mem[0], mem[1]);
}

const kernel_case the_case = {
    .name = "histogram",
    .symbols = {"n", "nbins"},
    .arrays = {{"key", "n", .type = I32}, {"count", "nbins", .result = true, .type = I32}},
    .fill = fill,
    .run = run,
    .expect = expect};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * floyd-warshall's reference: Dijkstra's algorithm from every node.
 */
#include "driver.h"

#include <stdlib.h>

static void fill(const int *sz, void **mem)
{
    int n = sz[0];
    double(*path)[n] = mem[0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) /* mostly long, so that the shortest paths have many edges */
            path[i][j] = i == j ? 0.0 : 0.01 + pow(path[i][j] - 0.5, 3.0);
}

static void expect(const int *sz, void **mem)
{
    int n = sz[0];
    double(*path)[n] = mem[0];
    double(*edge)[n] = malloc(sizeof(double[n][n]));
    bool *settled = malloc((size_t)n * sizeof *settled);
    memcpy(edge, path, sizeof(double[n][n]));
    for (int from = 0; from < n; from++) {
        memset(settled, 0, (size_t)n * sizeof *settled);
        for (int step = 0; step < n; step++) {
            int near = -1;
            for (int i = 0; i < n; i++)
                if (!settled[i] && (near < 0 || path[from][i] < path[from][near]))
                    near = i;
            settled[near] = true;
            for (int i = 0; i < n; i++)
                path[from][i] = fmin(path[from][i], path[from][near] + edge[near][i]);
        }
    }
    free(edge);
    free(settled);
}

static void run(const int *sz, void **mem)
{
    kernel_floyd_warshall(sz[0], mem[0]);
}

/* A path is a sum of fewer than n positive lengths, bracketed differently. */
static double tolerance(const int *sz)
{
    return 1.0 * sz[0] * DBL_EPSILON;
}

const kernel_case the_case = {.name = "floyd-warshall",
                              .symbols = {"n"},
                              .arrays = {{"path", "n n", .result = true}},
                              .fill = fill,
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * floyd-warshall: the lengths of the shortest paths between all pairs of n nodes, in place:
 * path[i][j] = min(path[i][j], path[i][k] + path[k][j]) for every k in turn. No length is negative
 * and path[k][k] = 0.
 *
 * The nodes k one after the other. In step k row k would stay as it is; it is left out, so that the
 * rows i, which all read it, are independent: parallel over i.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, 4*n*(n - 1)*n in all
 */
#include "kernels.h"

void kernel_floyd_warshall(int n, double path[n][n])
{
    for (int k = 0; k < n; k++) {
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < n; i++)
            if (i != k)
                for (int j = 0; j < n; j++) {
                    double direct = path[i][j], via = path[i][k] + path[k][j];
                    path[i][j] = via < direct ? via : direct;
                }
    }
}

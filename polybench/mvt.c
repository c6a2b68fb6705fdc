/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mvt: x1 = x1 + A y1 and x2 = x2 + A' y2, with A n x n.
 *
 * Each product is parallel over the elements of its result.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, 4*n*n in all
 *   loop 2: 4 innermost, 4*n*n in all
 */
#include "kernels.h"

void kernel_mvt(int n, double x1[n], double x2[n], double y1[n], double y2[n], double A[n][n])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x1[i] += A[i][j] * y1[j];
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x2[i] += A[j][i] * y2[j];
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * dct: the two-dimensional discrete cosine transform of an n x n block X as two products, Y = C X
 * C', with the n x n cosine matrix C given.
 *
 * tmp = C X, then Y = tmp C', each parallel over the rows i of its result.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, n*n*(1 + 4*n) in all
 *   loop 2: 4 innermost, n*n*(1 + 4*n) in all
 */
#include "kernels.h"

void kernel_dct(int n, double C[n][n], double X[n][n], double tmp[n][n], double Y[n][n])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            tmp[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                tmp[i][j] += C[i][k] * X[k][j];
        }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Y[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                Y[i][j] += tmp[i][k] * C[j][k];
        }
}

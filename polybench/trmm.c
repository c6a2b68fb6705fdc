/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * trmm: B = alpha A' B in place, A an m x m lower triangular matrix with a unit diagonal, B m x n.
 *
 * Row i of the product needs the rows k > i of B unchanged, so that the rows go from the top down;
 * the columns are independent: parallel over j.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, n*(2*m*(m - 1) + 2*m) in all
 */
#include "kernels.h"

void kernel_trmm(int m, int n, double alpha, double A[m][m], double B[m][n])
{
#pragma omp parallel for SCHEDULED
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            for (int k = i + 1; k < m; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] *= alpha;
        }
}

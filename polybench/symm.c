/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * symm: C = alpha A B + beta C, A a symmetric m x m matrix of which only the lower triangle is
 * stored, B and C m x n.
 *
 * A row i of A serves twice: as row i for C[i], as column i for the rows k above. So C[k][j] gains
 * from every i > k, column j by column j: parallel over j.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 6 innermost, n*(3*m*(m - 1) + 4*m) in all
 */
#include "kernels.h"

void kernel_symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m],
                 double B[m][n])
{
#pragma omp parallel for SCHEDULED
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double left = 0.0;
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                left += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * left;
        }
}

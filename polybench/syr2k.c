/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * syr2k: C = alpha (A B' + B A') + beta C, the lower triangle of the symmetric n x n matrix C
 * alone; A and B n x m.
 *
 * Parallel over the rows i of C, of growing length. A row is scaled, then gains one column k of A
 * and B after the other.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 2, 6 innermost, n*(n + 1)/2*(2 + 6*m) in all
 */
#include "kernels.h"

void kernel_syr2k(int n, int m, double alpha, double beta, double C[n][n], double A[n][m],
                  double B[n][m])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * syrk: C = alpha A A' + beta C, the lower triangle of the symmetric n x n matrix C alone; A n x m.
 *
 * Parallel over the rows i of C, of growing length. A row is scaled, then gains one column k of A
 * after the other.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 2, 4 innermost, n*(n + 1)/2*(2 + 4*m) in all
 */
#include "kernels.h"

void kernel_syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += alpha * A[i][k] * A[j][k];
    }
}

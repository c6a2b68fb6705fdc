/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gemver: A = A + u1 v1' + u2 v2', then x = beta A' y + z, then w = alpha A x, with A n x n.
 *
 * Four parallel loops: the two rank-1 updates over the rows i of A, the product with A' over the
 * elements of x, the addition of z, the product with A over the elements of w.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 6 innermost, 6*n*n in all
 *   loop 2: 4 innermost, n*(1 + 4*n) in all
 *   loop 3: 3 innermost, 3*n in all
 *   loop 4: 4 innermost, n*(1 + 4*n) in all
 */
#include "kernels.h"

void kernel_gemver(int n, double alpha, double beta, double A[n][n], double u1[n], double v1[n],
                   double u2[n], double v2[n], double w[n], double x[n], double y[n], double z[n])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        for (int j = 0; j < n; j++)
            x[i] += beta * A[j][i] * y[j];
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        x[i] += z[i];
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++) {
        w[i] = 0.0;
        for (int j = 0; j < n; j++)
            w[i] += alpha * A[i][j] * x[j];
    }
}

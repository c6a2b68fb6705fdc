/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cholesky: A = L L' in place, A a symmetric positive definite n x n matrix of which only the lower
 * triangle is stored and changed.
 *
 * The columns k one after the other, each with its square root serial: column k is divided by the
 * diagonal, parallel over its rows i; then the rest of the triangle loses the products of column k,
 * parallel over the rows i.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   serial: 2*n in all
 *   loop 1: 3 innermost, 3*n*(n - 1)/2 in all
 *   loop 2: 4 innermost, 4*(n - 1)*n*(n + 1)/6 in all
 */
#include "kernels.h"

void kernel_cholesky(int n, double A[n][n])
{
    for (int k = 0; k < n; k++) {
        A[k][k] = sqrt(A[k][k]);
#pragma omp parallel for SCHEDULED
        for (int i = k + 1; i < n; i++)
            A[i][k] /= A[k][k];
#pragma omp parallel for SCHEDULED
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j <= i; j++)
                A[i][j] -= A[i][k] * A[j][k];
    }
}

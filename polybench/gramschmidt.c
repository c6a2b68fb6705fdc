/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gramschmidt: A = Q R by the modified Gram-Schmidt process, A and Q m x n, R n x n upper
 * triangular: column k of A, by its norm R[k][k], is column k of Q; it is then taken out of every
 * later column j, R[k][j] = Q[.][k] A[.][j].
 *
 * The columns k one after the other, with their norms serial; column k of Q is parallel over the
 * rows i, the later columns over j.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   serial: n*(2*m + 1) in all
 *   loop 1: 3 innermost, n*3*m in all
 *   loop 2: 4, 4 innermost, n*(n - 1)/2*(1 + 8*m) in all
 */
#include "kernels.h"

void kernel_gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n])
{
    for (int k = 0; k < n; k++) {
        double square = 0.0;
        for (int i = 0; i < m; i++)
            square += A[i][k] * A[i][k];
        R[k][k] = sqrt(square);
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < m; i++)
            Q[i][k] = A[i][k] / R[k][k];
#pragma omp parallel for SCHEDULED
        for (int j = k + 1; j < n; j++) {
            R[k][j] = 0.0;
            for (int i = 0; i < m; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (int i = 0; i < m; i++)
                A[i][j] -= Q[i][k] * R[k][j];
        }
    }
}

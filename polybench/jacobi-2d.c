/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * jacobi-2d: tsteps double steps of the Jacobi relaxation of an n x n grid with the five-point
 * star, the border fixed: B = mean of A's stars, then A = mean of B's.
 *
 * Each half step is parallel over the rows i; a barrier lies between the half steps.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 6 innermost, tsteps*(n - 2)*(n - 2)*6 in all
 *   loop 2: 6 innermost, tsteps*(n - 2)*(n - 2)*6 in all
 */
#include "kernels.h"

void kernel_jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n])
{
    for (int t = 0; t < tsteps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i - 1][j] + B[i + 1][j]);
    }
}

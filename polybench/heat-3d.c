/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * heat-3d: tsteps double steps of the heat equation on an n x n x n grid with the seven-point star,
 * the border fixed: B = A + 1/8 of A's second differences in each direction, then A from B.
 *
 * Each half step is parallel over the planes i; a barrier lies between the half steps.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 11 innermost, tsteps*(n - 2)*(n - 2)*(n - 2)*11 in all
 *   loop 2: 11 innermost, tsteps*(n - 2)*(n - 2)*(n - 2)*11 in all
 */
#include "kernels.h"

void kernel_heat_3d(int tsteps, int n, double A[n][n][n], double B[n][n][n])
{
    for (int t = 0; t < tsteps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k]) +
                                 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k]) +
                                 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]) +
                                 A[i][j][k];
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k]) +
                                 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k]) +
                                 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1]) +
                                 B[i][j][k];
    }
}

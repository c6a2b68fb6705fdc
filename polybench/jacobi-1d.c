/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * jacobi-1d: tsteps double steps of the Jacobi relaxation of n points with the three-point star,
 * the ends fixed: B = mean of A's neighbours, then A = mean of B's.
 *
 * Two short loops a time step, each parallel over i.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, tsteps*(n - 2)*4 in all
 *   loop 2: 4 innermost, tsteps*(n - 2)*4 in all
 */
#include "kernels.h"

void kernel_jacobi_1d(int tsteps, int n, double A[n], double B[n])
{
    for (int t = 0; t < tsteps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++)
            B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0;
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++)
            A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3.0;
    }
}

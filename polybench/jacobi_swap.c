/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * jacobi_swap: tsteps steps of the Jacobi relaxation of an n x n grid with the five-point star, the
 * border fixed, the two grids changing places after each step: the result stands in A if tsteps is
 * even, else in B.
 *
 * A step is parallel over the rows i; the swap of the two pointers is serial.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 6 innermost, tsteps*(n - 2)*(n - 2)*6 in all
 */
#include "kernels.h"

void kernel_jacobi_swap(int tsteps, int n, double A[n][n], double B[n][n])
{
    double(*from)[n] = A, (*to)[n] = B;
    for (int t = 0; t < tsteps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                to[i][j] = 0.2 * (from[i][j] + from[i][j - 1] + from[i][j + 1] + from[i - 1][j] +
                                  from[i + 1][j]);
        double(*other)[n] = from;
        from = to;
        to = other;
    }
}

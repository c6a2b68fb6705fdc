/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * seidel-2d: tsteps steps of the Gauss-Seidel relaxation of an n x n grid in place, row by row,
 * every inner point becoming the mean of its 3 x 3 neighbourhood, half of which is new already.
 *
 * Point (i, j) needs the new (i-1, j+1) and (i, j-1) and the old (i+1, j-1) and (i, j+1): points of
 * one 2 i + j are independent. The wavefronts w = 2 i + j go one after the other, a wavefront is
 * parallel over i, with 1 <= j = w - 2 i <= n - 2, so that (w - n + 2)/2 <= i <= (w - 1)/2, rounded
 * inwards.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 10 innermost, tsteps*(n - 2)*(n - 2)*10 in all
 */
#include "kernels.h"

void kernel_seidel_2d(int tsteps, int n, double A[n][n])
{
    for (int t = 0; t < tsteps; t++)
        for (int w = 3; w <= 3 * (n - 2); w++) {
            int least = MAX(1, (w + n + 3) / 2 - n), most = MIN(n - 2, (w - 1) / 2);
#pragma omp parallel for SCHEDULED
            for (int i = least; i <= most; i++)
                A[i][w - 2 * i] =
                    (A[i - 1][w - 2 * i - 1] + A[i - 1][w - 2 * i] + A[i - 1][w - 2 * i + 1] +
                     A[i][w - 2 * i - 1] + A[i][w - 2 * i] + A[i][w - 2 * i + 1] +
                     A[i + 1][w - 2 * i - 1] + A[i + 1][w - 2 * i] + A[i + 1][w - 2 * i + 1]) /
                    9.0;
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flattened: T = T + (diag(x) A)', A n x m, T m x n, the two loops written as one.
 *
 * Parallel over the flat index f = i m + j, so that a thread's share may begin and end inside of a
 * row; i and j are quotient and remainder. Every f writes its own element of T.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, 4*n*m in all
 */
#include "kernels.h"

void kernel_flattened(int n, int m, double T[m][n], double A[n][m], double x[n])
{
#pragma omp parallel for SCHEDULED
    for (int f = 0; f < n * m; f++)
        T[f % m][f / m] += x[f / m] * A[f / m][f % m];
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * atax: y = A' (A x), with A m x n.
 *
 * First t = A x, parallel over the rows i of A; then y = A' t, parallel over the columns j of A (a
 * sum over i each, so that no two threads add to one y[j]).
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, m*(1 + 4*n) in all
 *   loop 2: 4 innermost, n*(1 + 4*m) in all
 */
#include "kernels.h"

void kernel_atax(int m, int n, double A[m][n], double x[n], double y[n], double t[m])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < m; i++) {
        t[i] = 0.0;
        for (int j = 0; j < n; j++)
            t[i] += A[i][j] * x[j];
    }
#pragma omp parallel for SCHEDULED
    for (int j = 0; j < n; j++) {
        y[j] = 0.0;
        for (int i = 0; i < m; i++)
            y[j] += A[i][j] * t[i];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * bicg: the two products of the biconjugate gradient method, s = A' r and q = A p, with A n x m.
 *
 * Each product is parallel over the elements of its result.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, m*(1 + 4*n) in all
 *   loop 2: 4 innermost, n*(1 + 4*m) in all
 */
#include "kernels.h"

void kernel_bicg(int m, int n, double A[n][m], double s[m], double q[n], double p[m], double r[n])
{
#pragma omp parallel for SCHEDULED
    for (int j = 0; j < m; j++) {
        s[j] = 0.0;
        for (int i = 0; i < n; i++)
            s[j] += r[i] * A[i][j];
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++) {
        q[i] = 0.0;
        for (int j = 0; j < m; j++)
            q[i] += A[i][j] * p[j];
    }
}

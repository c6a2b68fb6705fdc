/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gesummv: y = alpha A x + beta B x, with A and B n x n.
 *
 * Parallel over the elements i of y; t[i] gathers A x, y[i] first B x, then the sum.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 8 innermost, n*(5 + 8*n) in all
 */
#include "kernels.h"

void kernel_gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double t[n],
                    double x[n], double y[n])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++) {
        t[i] = 0.0;
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            t[i] += A[i][j] * x[j];
            y[i] += B[i][j] * x[j];
        }
        y[i] = alpha * t[i] + beta * y[i];
    }
}

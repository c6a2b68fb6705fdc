/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * trisolv: L x = b, L an n x n lower triangular matrix.
 *
 * Column by column: once x[j] is known, the elements i > j lose their multiple of it, parallel over
 * i. The copy b to x is parallel too.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   serial: 3*n in all
 *   loop 1: 2 innermost, 2*n in all
 *   loop 2: 4 innermost, 2*n*(n - 1) in all
 */
#include "kernels.h"

void kernel_trisolv(int n, double L[n][n], double x[n], double b[n])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        x[i] = b[i];
    for (int j = 0; j < n; j++) {
        x[j] /= L[j][j];
#pragma omp parallel for SCHEDULED
        for (int i = j + 1; i < n; i++)
            x[i] -= L[i][j] * x[j];
    }
}

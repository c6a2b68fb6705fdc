/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lu_dynamic: lu with a dynamic schedule: A = L U in place without pivots, A n x n, L with a unit
 * diagonal.
 *
 * As in lu, parallel over the rows i below k, but whoever is free takes the next row.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, 3*n*(n - 1)/2 + 4*(n - 1)*n*(2*n - 1)/6 in all
 */
#include "kernels.h"

void kernel_lu_dynamic(int n, double A[n][n])
{
    for (int k = 0; k < n; k++) {
#pragma omp parallel for SCHEDULED_AS(dynamic)
        for (int i = k + 1; i < n; i++) {
            A[i][k] /= A[k][k];
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
        }
    }
}

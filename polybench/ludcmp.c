/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ludcmp: A x = b, A n x n: A = L U in place without pivots, then L y = b, then U x = y.
 *
 * The elimination is parallel over the rows i below k, as in lu. A substitution goes column by
 * column: once an element j is known, the others lose their multiple of it, parallel over the rows
 * i. The copies b to y and y to x are parallel too.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   serial: 3*n in all
 *   loop 1: 4 innermost, 3*n*(n - 1)/2 + 4*(n - 1)*n*(2*n - 1)/6 in all
 *   loop 2: 2 innermost, 2*n in all
 *   loop 3: 4 innermost, 2*n*(n - 1) in all
 *   loop 4: 2 innermost, 2*n in all
 *   loop 5: 4 innermost, 2*n*(n - 1) in all
 */
#include "kernels.h"

void kernel_ludcmp(int n, double A[n][n], double b[n], double x[n], double y[n])
{
    for (int k = 0; k < n; k++) {
#pragma omp parallel for SCHEDULED
        for (int i = k + 1; i < n; i++) {
            A[i][k] /= A[k][k];
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
        }
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        y[i] = b[i];
    for (int j = 0; j < n; j++) {
#pragma omp parallel for SCHEDULED
        for (int i = j + 1; i < n; i++)
            y[i] -= A[i][j] * y[j];
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        x[i] = y[i];
    for (int j = n - 1; j >= 0; j--) {
        x[j] /= A[j][j];
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < j; i++)
            x[i] -= A[i][j] * x[j];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lu: A = L U in place without pivots, A n x n, L with a unit diagonal: for every k the rows below
 * lose their multiple of row k, the multipliers taking the place of column k.
 *
 * The steps k one after the other; in a step the rows i below k are independent: parallel over i.
 * Row k is read alone.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, 3*n*(n - 1)/2 + 4*(n - 1)*n*(2*n - 1)/6 in all
 */
#include "kernels.h"

void kernel_lu(int n, double A[n][n])
{
    for (int k = 0; k < n; k++) {
#pragma omp parallel for SCHEDULED
        for (int i = k + 1; i < n; i++) {
            A[i][k] /= A[k][k];
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
        }
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * spmv: y = A x, A a sparse n x n matrix in compressed rows: row i holds value[k] in column col[k]
 * for row[i] <= k < row[i+1]; nnz entries in all.
 *
 * Parallel over the rows i. x is read indirectly, through col, and row[] bounds the inner loop.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 5 innermost, 3*n + 5*nnz in all
 */
#include "kernels.h"

void kernel_spmv(int n, int nnz, double y[n], double value[nnz], double x[n], int row[n + 1],
                 int col[nnz])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++) {
        int end = row[i + 1];
        y[i] = 0.0;
        for (int k = row[i]; k < end; k++)
            y[i] += value[k] * x[col[k]];
    }
}

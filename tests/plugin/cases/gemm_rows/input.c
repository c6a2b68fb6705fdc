/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of row pointers: the load of a row's address is a reference too. */
void gemm(int n, double **A, double **B, double **C)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
}

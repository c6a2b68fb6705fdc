/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flat arrays: delinearised, since j < m and k < l keep the subscripts inside of their rows. */
void gemm(int n, int m, int l, double *A, double *B, double *C)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                C[i * m + j] += A[i * l + k] * B[k * m + j];
}

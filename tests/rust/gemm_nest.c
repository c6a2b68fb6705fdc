/* SPDX-License-Identifier: GPL-3.0-or-later
 * The gemm that gemm.nest describes, and same.rs builds with nest!. */
void gemm(long ni, long nj, long nk, double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
#pragma omp parallel for schedule(static, 4)
    for (long i = 0; i < ni; i++)
        for (long j = 0; j < nj; j++) {
            C[i][j] *= 0.5;
            for (long k = 0; k < nk; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}

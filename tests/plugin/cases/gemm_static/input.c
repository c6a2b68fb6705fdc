/* SPDX-License-Identifier: GPL-3.0-or-later */
enum { N = 64 };
double A[N][N], B[N][N], C[N][N], alpha, beta;

void gemm(void)
{
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < N; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing says that j stays below the leading dimension: the array stays flat. */
void scale(int n, int m, long lda, double *A)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i * lda + j] *= 2;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gemm: C = alpha A B + beta C, with A ni x nk, B nk x nj, C ni x nj.
 *
 * Parallel over the rows i of C; a thread writes its own rows alone.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, ni*nj*(2 + 4*nk) in all
 */
#include "kernels.h"

void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj],
                 double A[ni][nk], double B[nk][nj])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < nk; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
}

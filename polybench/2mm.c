/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * 2mm: D = alpha A B C + beta D, with A ni x nk, B nk x nj, C nj x nl, D ni x nl.
 *
 * First tmp = alpha A B, then D = tmp C + beta D, each parallel over the rows i of its result.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, ni*nj*(1 + 4*nk) in all
 *   loop 2: 4 innermost, ni*nl*(2 + 4*nj) in all
 */
#include "kernels.h"

void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double tmp[ni][nj],
                double A[ni][nk], double B[nk][nj], double C[nj][nl], double D[ni][nl])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            tmp[i][j] = 0.0;
            for (int k = 0; k < nk; k++)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            D[i][j] *= beta;
            for (int k = 0; k < nj; k++)
                D[i][j] += tmp[i][k] * C[k][j];
        }
}

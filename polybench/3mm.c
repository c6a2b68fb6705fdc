/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * 3mm: G = (A B) (C D), with A ni x nk, B nk x nj, C nj x nm, D nm x nl.
 *
 * E = A B, F = C D, G = E F in turn, each parallel over the rows i of its result.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, ni*nj*(1 + 4*nk) in all
 *   loop 2: 4 innermost, nj*nl*(1 + 4*nm) in all
 *   loop 3: 4 innermost, ni*nl*(1 + 4*nj) in all
 */
#include "kernels.h"

void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double E[ni][nj], double A[ni][nk],
                double B[nk][nj], double F[nj][nl], double C[nj][nm], double D[nm][nl],
                double G[ni][nl])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            E[i][j] = 0.0;
            for (int k = 0; k < nk; k++)
                E[i][j] += A[i][k] * B[k][j];
        }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < nj; i++)
        for (int j = 0; j < nl; j++) {
            F[i][j] = 0.0;
            for (int k = 0; k < nm; k++)
                F[i][j] += C[i][k] * D[k][j];
        }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            G[i][j] = 0.0;
            for (int k = 0; k < nj; k++)
                G[i][j] += E[i][k] * F[k][j];
        }
}

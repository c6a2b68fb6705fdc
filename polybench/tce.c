/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tce: the four-index transform of quantum chemistry: B[a][b][c][d] = sum over p, q, r, s of
 * C1[a][p] C2[b][q] C3[c][r] C4[d][s] A[p][q][r][s], with p, q, r, s < no and a, b, c, d < nv, one
 * index at a time: four contractions in place of one sum over eight indices.
 *
 * Each contraction is parallel over a, the first index of its result.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, nv*no*no*no*(1 + 4*no) in all
 *   loop 2: 4 innermost, nv*nv*no*no*(1 + 4*no) in all
 *   loop 3: 4 innermost, nv*nv*nv*no*(1 + 4*no) in all
 *   loop 4: 4 innermost, nv*nv*nv*nv*(1 + 4*no) in all
 */
#include "kernels.h"

void kernel_tce(int nv, int no, double A[no][no][no][no], double C1[nv][no], double C2[nv][no],
                double C3[nv][no], double C4[nv][no], double T1[nv][no][no][no],
                double T2[nv][nv][no][no], double T3[nv][nv][nv][no], double B[nv][nv][nv][nv])
{
#pragma omp parallel for SCHEDULED
    for (int a = 0; a < nv; a++)
        for (int q = 0; q < no; q++)
            for (int r = 0; r < no; r++)
                for (int s = 0; s < no; s++) {
                    T1[a][q][r][s] = 0.0;
                    for (int p = 0; p < no; p++)
                        T1[a][q][r][s] += C1[a][p] * A[p][q][r][s];
                }
#pragma omp parallel for SCHEDULED
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++)
            for (int r = 0; r < no; r++)
                for (int s = 0; s < no; s++) {
                    T2[a][b][r][s] = 0.0;
                    for (int q = 0; q < no; q++)
                        T2[a][b][r][s] += C2[b][q] * T1[a][q][r][s];
                }
#pragma omp parallel for SCHEDULED
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++)
            for (int c = 0; c < nv; c++)
                for (int s = 0; s < no; s++) {
                    T3[a][b][c][s] = 0.0;
                    for (int r = 0; r < no; r++)
                        T3[a][b][c][s] += C3[c][r] * T2[a][b][r][s];
                }
#pragma omp parallel for SCHEDULED
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++)
            for (int c = 0; c < nv; c++)
                for (int d = 0; d < nv; d++) {
                    B[a][b][c][d] = 0.0;
                    for (int s = 0; s < no; s++)
                        B[a][b][c][d] += C4[d][s] * T3[a][b][c][s];
                }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * doitgen: every vector A[r][q] of np elements is replaced by its product with the np x np matrix
 * C: A[r][q][p] = sum over s of A[r][q][s] C[s][p].
 *
 * Parallel over r. The sums of the vectors in hand stand in sum[r], a row for every r, so that
 * threads share none.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4, 2 innermost, nr*nq*np*(3 + 4*np) in all
 */
#include "kernels.h"

void kernel_doitgen(int nq, int nr, int np, double A[nr][nq][np], double C[np][np],
                    double sum[nr][np])
{
#pragma omp parallel for SCHEDULED
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum[r][p] = 0.0;
                for (int s = 0; s < np; s++)
                    sum[r][p] += A[r][q][s] * C[s][p];
            }
            for (int p = 0; p < np; p++)
                A[r][q][p] = sum[r][p];
        }
}

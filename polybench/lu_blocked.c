/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lu_blocked: the factors L and U of a matrix of nb x nb blocks of BLOCK x BLOCK, each of them in
 * one piece of memory, in its place, without pivoting.
 *
 * For each block of the diagonal: one thread factors it, a loop parallel over the blocks below it
 * and to its right solves for these, and one over the blocks of the rest subtracts their products.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   serial: 5320*nb in all
 *   loop 1: 4, 4 innermost, nb*(nb - 1)/2*16128 in all
 *   loop 2: 4 innermost, (nb - 1)*nb*(2*nb - 1)/6*16384 in all
 */
#include "kernels.h"

enum { BLOCK = 16 };

void kernel_lu_blocked(int nb, double A[nb][nb][BLOCK][BLOCK])
{
    for (int d = 0; d < nb; d++) {
        for (int k = 0; k < BLOCK; k++)
            for (int i = k + 1; i < BLOCK; i++) {
                A[d][d][i][k] /= A[d][d][k][k];
                for (int j = k + 1; j < BLOCK; j++)
                    A[d][d][i][j] -= A[d][d][i][k] * A[d][d][k][j];
            }
#pragma omp parallel for SCHEDULED
        for (int b = d + 1; b < nb; b++) {
            for (int k = 0; k < BLOCK; k++)
                for (int i = 0; i < BLOCK; i++) {
                    A[b][d][i][k] /= A[d][d][k][k];
                    for (int j = k + 1; j < BLOCK; j++)
                        A[b][d][i][j] -= A[b][d][i][k] * A[d][d][k][j];
                }
            for (int k = 0; k < BLOCK; k++)
                for (int i = k + 1; i < BLOCK; i++)
                    for (int j = 0; j < BLOCK; j++)
                        A[d][b][i][j] -= A[d][d][i][k] * A[d][b][k][j];
        }
#pragma omp parallel for SCHEDULED
        for (int r = d + 1; r < nb; r++)
            for (int c = d + 1; c < nb; c++)
                for (int k = 0; k < BLOCK; k++)
                    for (int i = 0; i < BLOCK; i++)
                        for (int j = 0; j < BLOCK; j++)
                            A[r][c][i][j] -= A[r][d][i][k] * A[d][c][k][j];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gemm_tiled: C = alpha A B + beta C in tiles of TILE x TILE, with A ni x nk, B nk x nj, C ni x nj;
 * the last tile of a row or column is cut off by the matrix's border.
 *
 * Parallel over the tile rows; a tile row of C is scaled, then gains its products tile by tile.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 2, 4 innermost, ni*nj*(2 + 4*nk) in all
 */
#include "kernels.h"

enum { TILE = 16 };

void kernel_gemm_tiled(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj],
                       double A[ni][nk], double B[nk][nj])
{
#pragma omp parallel for SCHEDULED
    for (int ti = 0; ti < (ni + TILE - 1) / TILE; ti++) {
        for (int i = ti * TILE; i < MIN(ni, (ti + 1) * TILE); i++)
            for (int j = 0; j < nj; j++)
                C[i][j] *= beta;
        for (int tj = 0; tj < (nj + TILE - 1) / TILE; tj++)
            for (int tk = 0; tk < (nk + TILE - 1) / TILE; tk++)
                for (int i = ti * TILE; i < MIN(ni, (ti + 1) * TILE); i++)
                    for (int j = tj * TILE; j < MIN(nj, (tj + 1) * TILE); j++)
                        for (int k = tk * TILE; k < MIN(nk, (tk + 1) * TILE); k++)
                            C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * convolution: a convolutional layer: out[b][o][y][x] = bias[o] + sum over c, u, v of
 * in[b][c][y+u][x+v] weight[o][c][u][v], for a batch of nb images with ni channels in, no channels
 * out of nh x nw pixels, and windows of nk x nk.
 *
 * Parallel over the images b of the batch; all threads read the same weights.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, nb*no*nh*nw*(2 + 4*ni*nk*nk) in all
 */
#include "kernels.h"

void kernel_convolution(int nb, int no, int ni, int nh, int nw, int nk,
                        double in[nb][ni][nh + nk - 1][nw + nk - 1], double weight[no][ni][nk][nk],
                        double bias[no], double out[nb][no][nh][nw])
{
#pragma omp parallel for SCHEDULED
    for (int b = 0; b < nb; b++)
        for (int o = 0; o < no; o++)
            for (int y = 0; y < nh; y++)
                for (int x = 0; x < nw; x++) {
                    out[b][o][y][x] = bias[o];
                    for (int c = 0; c < ni; c++)
                        for (int u = 0; u < nk; u++)
                            for (int v = 0; v < nk; v++)
                                out[b][o][y][x] += in[b][c][y + u][x + v] * weight[o][c][u][v];
                }
}

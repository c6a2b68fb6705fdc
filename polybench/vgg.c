/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * vgg: a block of a VGG network on nc channels of h x w pixels: twice a 3 x 3 convolution with bias
 * and nf features out, followed by max(., 0), then the maximum of every 2 x 2 square. in and mid
 * carry a border of zeros, one pixel wide, around the image.
 *
 * Three loops, each parallel over the features f: the two convolutions, the pooling.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, nf*h*w*(4 + 4*nc*9) in all
 *   loop 2: 4 innermost, nf*h*w*(4 + 4*nf*9) in all
 *   loop 3: 1 innermost, nf*(h/2)*(w/2)*5 in all
 */
#include "kernels.h"

void kernel_vgg(int nc, int nf, int h, int w, double in[nc][h + 2][w + 2],
                double weight1[nf][nc][3][3], double bias1[nf], double mid[nf][h + 2][w + 2],
                double weight2[nf][nf][3][3], double bias2[nf], double last[nf][h][w],
                double pool[nf][h / 2][w / 2])
{
#pragma omp parallel for SCHEDULED
    for (int f = 0; f < nf; f++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                mid[f][y + 1][x + 1] = bias1[f];
                for (int c = 0; c < nc; c++)
                    for (int u = 0; u < 3; u++)
                        for (int v = 0; v < 3; v++)
                            mid[f][y + 1][x + 1] += in[c][y + u][x + v] * weight1[f][c][u][v];
                double sum = mid[f][y + 1][x + 1];
                mid[f][y + 1][x + 1] = sum > 0.0 ? sum : 0.0;
            }
#pragma omp parallel for SCHEDULED
    for (int f = 0; f < nf; f++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                last[f][y][x] = bias2[f];
                for (int c = 0; c < nf; c++)
                    for (int u = 0; u < 3; u++)
                        for (int v = 0; v < 3; v++)
                            last[f][y][x] += mid[c][y + u][x + v] * weight2[f][c][u][v];
                double sum = last[f][y][x];
                last[f][y][x] = sum > 0.0 ? sum : 0.0;
            }
#pragma omp parallel for SCHEDULED
    for (int f = 0; f < nf; f++)
        for (int y = 0; y < h / 2; y++)
            for (int x = 0; x < w / 2; x++) {
                double most = 0.0;
                for (int u = 0; u < 2; u++)
                    for (int v = 0; v < 2; v++) {
                        double value = last[f][2 * y + u][2 * x + v];
                        most = value > most ? value : most;
                    }
                pool[f][y][x] = most;
            }
}

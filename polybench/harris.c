/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * harris: Harris's corner measure of an h x w image: the gradient (dx, dy) by Sobel's 3 x 3 masks,
 * its products xx, xy, yy, their sums a, b, c over 3 x 3 windows, and the measure (a c - b^2) - k
 * (a + c)^2.
 *
 * Three loops, each parallel over the rows i: gradients, products, window sums with the measure.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 14 innermost, (h - 2)*(w - 2)*14 in all
 *   loop 2: 9 innermost, (h - 2)*(w - 2)*9 in all
 *   loop 3: 3 innermost, (h - 4)*(w - 4)*(3*9 + 1) in all
 */
#include "kernels.h"

void kernel_harris(int h, int w, double k, double image[h][w], double dx[h][w], double dy[h][w],
                   double xx[h][w], double xy[h][w], double yy[h][w], double measure[h][w])
{
#pragma omp parallel for SCHEDULED
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            dx[i][j] = image[i - 1][j + 1] + 2.0 * image[i][j + 1] + image[i + 1][j + 1] -
                       image[i - 1][j - 1] - 2.0 * image[i][j - 1] - image[i + 1][j - 1];
            dy[i][j] = image[i + 1][j - 1] + 2.0 * image[i + 1][j] + image[i + 1][j + 1] -
                       image[i - 1][j - 1] - 2.0 * image[i - 1][j] - image[i - 1][j + 1];
        }
#pragma omp parallel for SCHEDULED
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            xx[i][j] = dx[i][j] * dx[i][j];
            xy[i][j] = dx[i][j] * dy[i][j];
            yy[i][j] = dy[i][j] * dy[i][j];
        }
#pragma omp parallel for SCHEDULED
    for (int i = 2; i < h - 2; i++)
        for (int j = 2; j < w - 2; j++) {
            double a = 0.0, b = 0.0, c = 0.0;
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++) {
                    a += xx[i + di][j + dj];
                    b += xy[i + di][j + dj];
                    c += yy[i + di][j + dj];
                }
            measure[i][j] = a * c - b * b - k * (a + c) * (a + c);
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * edgedetect: the edges of an h x w image: smoothed with the weights 1/4, 1/2, 1/4 along the rows,
 * then down the columns, then Roberts' cross: the sum of the absolute differences along the two
 * diagonals of every 2 x 2 square.
 *
 * Three loops, each parallel over the rows i.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, h*(w - 2)*4 in all
 *   loop 2: 4 innermost, (h - 2)*(w - 2)*4 in all
 *   loop 3: 5 innermost, (h - 3)*(w - 3)*5 in all
 */
#include "kernels.h"

void kernel_edgedetect(int h, int w, double image[h][w], double rows[h][w], double smooth[h][w],
                       double edge[h][w])
{
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < h; i++)
        for (int j = 1; j < w - 1; j++)
            rows[i][j] = 0.25 * image[i][j - 1] + 0.5 * image[i][j] + 0.25 * image[i][j + 1];
#pragma omp parallel for SCHEDULED
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++)
            smooth[i][j] = 0.25 * rows[i - 1][j] + 0.5 * rows[i][j] + 0.25 * rows[i + 1][j];
#pragma omp parallel for SCHEDULED
    for (int i = 1; i < h - 2; i++)
        for (int j = 1; j < w - 2; j++)
            edge[i][j] = fabs(smooth[i][j] - smooth[i + 1][j + 1]) +
                         fabs(smooth[i][j + 1] - smooth[i + 1][j]);
}

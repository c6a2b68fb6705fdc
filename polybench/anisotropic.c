/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * anisotropic: tsteps steps of anisotropic diffusion (Perona and Malik) on an h x w image u: du/dt
 * = div(g(|grad u|) grad u) with g(x) = 1/(1 + (x/kappa)^2), which smooths inside of regions and
 * leaves edges alone. east[i][j] is the flux from pixel (i, j-1) to (i, j), south[i][j] that from
 * (i-1, j); the fluxes across the border are 0 and stand so in the arrays' first and last rows and
 * columns.
 *
 * Three loops a time step, each parallel over the rows i: the fluxes east, the fluxes south, the
 * image.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 3 innermost, tsteps*h*(w - 1)*3 in all
 *   loop 2: 3 innermost, tsteps*(h - 1)*w*3 in all
 *   loop 3: 6 innermost, tsteps*h*w*6 in all
 */
#include "kernels.h"

void kernel_anisotropic(int tsteps, int h, int w, double kappa, double rate, double u[h][w],
                        double east[h][w + 1], double south[h + 1][w])
{
    for (int t = 0; t < tsteps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < h; i++)
            for (int j = 1; j < w; j++) {
                double step = u[i][j - 1] - u[i][j];
                east[i][j] = step / (1.0 + step * step / (kappa * kappa));
            }
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < h; i++)
            for (int j = 0; j < w; j++) {
                double step = u[i - 1][j] - u[i][j];
                south[i][j] = step / (1.0 + step * step / (kappa * kappa));
            }
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                u[i][j] += rate * (east[i][j] - east[i][j + 1] + south[i][j] - south[i + 1][j]);
    }
}

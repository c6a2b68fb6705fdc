/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fdtd-2d: tmax steps of Maxwell's equations in two dimensions by finite differences in the time
 * domain, on an nx x ny grid: the electric field's components ex and ey from the differences of the
 * magnetic hz, then hz from those of ex and ey; pulse[t] drives the edge ey[0].
 *
 * Four parallel loops a time step: the edge over j, ey, ex and hz over the rows i.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 2 innermost, tmax*2*ny in all
 *   loop 2: 4 innermost, tmax*(nx - 1)*ny*4 in all
 *   loop 3: 4 innermost, tmax*nx*(ny - 1)*4 in all
 *   loop 4: 6 innermost, tmax*(nx - 1)*(ny - 1)*6 in all
 */
#include "kernels.h"

void kernel_fdtd_2d(int tmax, int nx, int ny, double ex[nx][ny], double ey[nx][ny],
                    double hz[nx][ny], double pulse[tmax])
{
    for (int t = 0; t < tmax; t++) {
#pragma omp parallel for SCHEDULED
        for (int j = 0; j < ny; j++)
            ey[0][j] = pulse[t];
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * adi: tsteps steps of the heat equation on an n x n grid by alternating direction implicit
 * integration (Peaceman and Rachford), the border held at 1. With rx = dt/dx^2 and ry = dt/dy^2, a
 * half step is implicit in one direction and explicit in the other: -rx/2 v[j-1] + (1 + rx) v[j] -
 * rx/2 v[j+1] = ry/2 u[i-1] + (1 - ry) u[i] + ry/2 u[i+1], a tridiagonal system for every line of
 * the grid.
 *
 * The systems are solved by elimination without pivots, v[j] = p[j] v[j+1] + q[j], one loop for p
 * and q and one back for v. The lines of a half step are independent: parallel over i, first down
 * the columns (u to v), then along the rows (v to u).
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 8, 4 innermost, tsteps*(n - 2)*(5 + 12*(n - 2)) in all
 *   loop 2: 8, 4 innermost, tsteps*(n - 2)*(5 + 12*(n - 2)) in all
 */
#include "kernels.h"

void kernel_adi(int tsteps, int n, double rx, double ry, double u[n][n], double v[n][n],
                double p[n][n], double q[n][n])
{
    double hx = rx / 2.0, hy = ry / 2.0;
    for (int t = 0; t < tsteps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = hx / (1.0 + rx - hx * p[i][j - 1]);
                q[i][j] = (hy * u[j][i - 1] + (1.0 - ry) * u[j][i] + hy * u[j][i + 1] +
                           hx * q[i][j - 1]) /
                          (1.0 + rx - hx * p[i][j - 1]);
            }
            v[n - 1][i] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
#pragma omp parallel for SCHEDULED
        for (int i = 1; i < n - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = hy / (1.0 + ry - hy * p[i][j - 1]);
                q[i][j] = (hx * v[i - 1][j] + (1.0 - rx) * v[i][j] + hx * v[i + 1][j] +
                           hy * q[i][j - 1]) /
                          (1.0 + ry - hy * p[i][j - 1]);
            }
            u[i][n - 1] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
void jacobi(int steps, int n, double a[n][n], double b[n][n])
{
#pragma omp parallel
    for (int t = 0; t < steps; t++) {
#pragma omp for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = a[i - 1][j] + a[i + 1][j];
#pragma omp for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = b[i][j];
    }
}

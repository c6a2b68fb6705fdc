/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two grids in one array, by turns. */
double u[2][100][100];

void steps(int n)
{
    int now = 0;
    for (int t = 0; t < n; t++) {
#pragma omp parallel for
        for (int i = 1; i < 99; i++)
            for (int j = 0; j < 100; j++)
                u[(t + 1) % 2][i][j] = u[t % 2][i - 1][j];
    }
    for (int t = 0; t < n; t++) {
#pragma omp parallel for
        for (int i = 1; i < 99; i++)
            u[1 - now][i][0] = u[now][i - 1][0];
        now = 1 - now;
    }
}

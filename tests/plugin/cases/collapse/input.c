/* SPDX-License-Identifier: GPL-3.0-or-later */
double a[20][30][40], b[40][40];

void fill(int n)
{
#pragma omp parallel for collapse(3) schedule(static, 8)
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++)
            for (int k = 0; k < n; k++)
                a[i][j][k] = b[j][k];
#pragma omp parallel for collapse(2)
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < i + 1; j++)
            b[i][j] = 0;
}

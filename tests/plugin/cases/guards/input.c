/* SPDX-License-Identifier: GPL-3.0-or-later */
double a[100][100];

void guarded(int n, int border)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j)
                a[i][j] = 1;
            else
                a[i][j] = a[j][i];
            if (i > 0 && j < n - 1 && border)
                a[i - 1][j + 1] = 2;
            if (i == 0 || j == 0 || i == n - 1)
                a[i][j] += 3;
            if (i < j)
                continue;
            a[j][j] = 4;
        }
}

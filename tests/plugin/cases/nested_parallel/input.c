/* SPDX-License-Identifier: GPL-3.0-or-later */
double a[100][100];

void inner(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp parallel for
        for (int j = 0; j < n; j++)
            a[i][j] = 0;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds by ?: and if. */
double a[100][100];

void some(int n, int m, int upper)
{
    int first = upper ? 5 : 0;
#pragma omp parallel for
    for (int i = first; i < n; i++) {
        int last = i < 50 ? i : n;
        if (last > m)
            last = m;
        for (int j = 0; j < last; j++)
            a[i][j] = 1;
    }
}

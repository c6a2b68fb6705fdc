/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds with minimum and maximum of outer induction variables. */
#define max(x, y) ((x) > (y) ? (x) : (y))
#define min(x, y) ((x) < (y) ? (x) : (y))

void wave(int n, int m, double a[n][m])
{
    for (int d = 1; d < n + m - 1; d++) {
#pragma omp parallel for
        for (int i = max(1, d - m + 1); i < min(n, d); i++)
            a[i][d - i] += a[i - 1][d - i];
    }
}

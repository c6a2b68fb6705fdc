/* SPDX-License-Identifier: GPL-3.0-or-later */
struct {
    double a[100][50], b[100][50];
} g;

void add(void)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 50; j++)
            g.a[i][j] += g.b[i][j];
}

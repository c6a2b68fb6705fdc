/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of tables. */
void clear(int n, int m, double ***a)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                a[i][j][k] = 0;
}

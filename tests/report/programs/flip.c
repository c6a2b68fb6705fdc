/* SPDX-License-Identifier: GPL-3.0-or-later; a transposition in tiles that are too large */
void flip(int n, int ts, double (*restrict to)[n], const double (*restrict from)[n])
{
#pragma omp parallel for
    for (int ii = 0; ii < n; ii += ts)
        for (int jj = 0; jj < n; jj += ts)
            for (int i = ii; i < ii + ts; i++)
                for (int j = jj; j < jj + ts; j++)
                    to[j][i] = from[i][j];
}

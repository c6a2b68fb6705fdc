/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that `omp tile' and `omp unroll' make: shared, collapsed, and within a shared one. */
double a[64][64], b[64][64];
void rows(int n, int m)
{
#pragma omp parallel for
#pragma omp tile sizes(4)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = b[j][i];
}
void rectangles(int n, int m)
{
#pragma omp parallel for collapse(2)
#pragma omp tile sizes(4, 8)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = b[j][i];
}
void inner(int n, int m)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp unroll partial(4)
        for (int j = 0; j < m; j++)
            a[i][j] = b[j][i];
    }
}
void outer(int n)
{
#pragma omp parallel for
#pragma omp unroll partial(2)
    for (int i = 0; i < n; i++)
        a[i][0] = b[i][0];
}

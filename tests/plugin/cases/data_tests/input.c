/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions that GCC makes of several, and those on integers in memory. */
typedef struct {
    int a, b;
    double w;
} row;
void joined(int n, int m, double *a, const double *b)
{
#pragma omp parallel for
    for (int r = 0; r < n; r++)
        for (int c = -1; c < m; c++) {
            if (r == 0 && c == 0)
                a[0] = b[0];
            if (r != 0 || c != 3)
                a[1] = b[1];
            if (c - 5 >= 0 && m - c - 9 >= 0)
                a[2] = b[2];
        }
}
void fields(int n, const row *r, double *q)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (r[i].a != r[i].b)
            q[r[i].a - r[i].b + i] = 1;
}
void masks(int n, const unsigned char *in, const int *level, int now, double *q)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (in[i] && level[i] == now)
            q[i] = level[i] > 2 ? q[i] : 0;
}

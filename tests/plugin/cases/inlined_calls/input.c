/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small functions of the same file. */
static inline long at(int i, int j, int m) { return (long)i * m + j; }
static double get(const double *a, int i, int j, int m) { return a[at(i, j, m)]; }
static void put(double *a, int i, int j, int m, double x) { a[at(i, j, m)] = x; }

void copy(int n, int m, const double *a, double *b)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            put(b, i, j, m, get(a, j, i, n));
}

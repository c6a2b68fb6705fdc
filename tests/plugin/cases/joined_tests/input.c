/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of several parts: where GCC optimises, its front end joins those that read no memory. */
#include <stdbool.h>
double a[1000], b[1000];

void parts(int n, int p, int q, int r, int s)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if ((p > 1 || q > 2) && (r > 3 || s > 4))
            a[i] = 1;
        else
            b[i] = 1;
        if ((p > 1 && q > 2) || (r > 3 && s > 4))
            a[i] = 2;
        else
            b[i] = 2;
        if ((p > 1 && q > 2) || (p > 1 && s > 4))
            a[i] = 3;
        if (p > 1 && (q > 2 || (r > 3 && s > 4)))
            a[i] = 4;
        else
            b[i] = 4;
    }
}

void truths(int n, int p, int q, int r)
{
    bool both = p > 1 && q > 2, either = p > 3 || r > 4, no = !(p > 5 && r > 6);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (both)
            a[i] = 1;
        if (either)
            a[i] = 2;
        if (no && either)
            a[i] = 3;
    }
}

/* The number of threads, or 1 for little work. */
int threads(int rows, int columns, int most)
{
    return (rows <= 64 && columns <= 64) || rows * columns <= 4096 || most == 0 ? 1 : most;
}

void chosen(int rows, int columns, int most)
{
#pragma omp parallel for num_threads(threads(rows, columns, most))
    for (int i = 0; i < rows; i++)
        a[i] = 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks allocated in the function: extents from their sizes. */
#include <stdlib.h>

double total(int n, int m)
{
    double *a = malloc(sizeof(double) * n * m), *b = calloc(m, sizeof *b);
    double(*c)[m] = malloc(sizeof(double[n][m]));
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            a[i * m + j] = b[j];
            c[i][j] = a[i * m + j];
            sum += c[i][j];
        }
    free(a);
    free(b);
    free(c);
    return sum;
}

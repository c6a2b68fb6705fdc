/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tiled product of matrices whose tiles are too large for the first cache: ts = 192, cured 24. */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, int ts, double (*restrict c)[n], double (*restrict a)[n],
                     double (*restrict b)[n])
{
#pragma omp parallel for
    for (int ii = 0; ii < n; ii += ts)
        for (int kk = 0; kk < n; kk += ts)
            for (int i = ii; i < ii + ts; i++)
                for (int k = kk; k < kk + ts; k++)
                    for (int j = 0; j < n; j++)
                        c[i][j] += a[i][k] * b[k][j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 768, ts = argc > 2 ? atoi(argv[2]) : 192;
    double(*a)[n] = calloc((size_t)n * (size_t)n, sizeof(double));
    double(*b)[n] = calloc((size_t)n * (size_t)n, sizeof(double));
    double(*c)[n] = calloc((size_t)n * (size_t)n, sizeof(double));
    if (!a || !b || !c)
        return 1;
    multiply(n, ts, c, a, b);
    printf("%g\n", c[n / 2][n / 2]);
    free(a);
    free(b);
    free(c);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stencil whose inner loop runs down the columns; with -DCURED along the rows. */
#include <stdio.h>
#include <stdlib.h>

static void smooth(int n, double (*restrict out)[n], double (*restrict in)[n])
{
#ifdef CURED
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            out[i][j] = 0.25 * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
#else
#pragma omp parallel for
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            out[i][j] = 0.25 * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
#endif
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1500;
    double(*a)[n] = calloc((size_t)n * (size_t)n, sizeof(double));
    double(*b)[n] = calloc((size_t)n * (size_t)n, sizeof(double));
    if (!a || !b)
        return 1;
    for (int t = 0; t < 4; t++)
        smooth(n, t % 2 ? a : b, t % 2 ? b : a);
    printf("%g\n", a[n / 2][n / 2]);
    free(a);
    free(b);
    return 0;
}

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A five-point stencil whose inner loop walks down a column. five_point [N]
 */
#include <stdio.h>
#include <stdlib.h>

static void smooth(int n, double a[n][n], double b[n][n])
{
#pragma omp parallel for schedule(static)
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500;
    if (n < 3 || n > 20000)
        return 1;
    double(*a)[n] = calloc((size_t)n, sizeof *a), (*b)[n] = calloc((size_t)n, sizeof *b);
    if (!a || !b)
        return 1;
    for (int i = 0; i < n; i++)
        a[i][i] = 5;
    smooth(n, a, b);
    printf("%g\n", b[1][1]);
    free(a);
    free(b);
    return 0;
}

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The product of two matrices, C = A B; rows of C are computed in parallel. matmul [N]
 */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, double a[n][n], double b[n][n], double c[n][n])
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200;
    if (n < 1 || n > 20000)
        return 1;
    double(*a)[n] = calloc((size_t)n, sizeof *a), (*b)[n] = calloc((size_t)n, sizeof *b),
    (*c)[n] = calloc((size_t)n, sizeof *c);
    if (!a || !b || !c)
        return 1;
    for (int i = 0; i < n; i++)
        a[i][i] = b[i][n - 1 - i] = 2;
    multiply(n, a, b, c);
    printf("%g\n", c[0][n - 1]);
    free(a);
    free(b);
    free(c);
    return 0;
}

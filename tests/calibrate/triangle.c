/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two regions, one of them with two loops; as many runs of each as the first argument says.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 160 };
static double a[N][N], b[N][N], x[N];

static void sums(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j <= i; j++)
                a[i][j] += b[i][k] * b[j][k];
}

static void two(void)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                b[i][j] = a[i][j] + 1;
#pragma omp for
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                x[i] += b[i][j];
    }
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    for (int r = 0; r < runs; r++) {
        sums();
        two();
    }
    printf("%g\n", x[N / 2]);
    return argc > 2 ? atoi(argv[2]) : 0;
}

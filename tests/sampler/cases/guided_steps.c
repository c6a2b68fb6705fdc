/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guided loops whose range is no multiple of the step, alone and collapsed; a loop in between whose
 * iterations are counted too. Iterations differ in cost, so that other chunks have other owners. */
#include <stdio.h>

enum { N = 100 };
static double a[N][8] __attribute__((aligned(64))), b[N][8] __attribute__((aligned(64)));

static void triangle(int i)
{
    for (int j = 0; j < i; j += 7)
        a[i][0] += b[j][0];
}

static void sweep(int n, unsigned m, long k)
{
#pragma omp parallel
    {
#pragma omp for schedule(guided)
        for (int i = 0; i < n; i += 3)
            triangle(i);
#pragma omp for schedule(guided, 2)
        for (unsigned i = 1; i <= m; i += 4)
            triangle((int)i);
#pragma omp for schedule(guided) nowait
        for (long i = k; i > 1; i -= 5) {
#pragma omp simd
            for (int j = 0; j < 6; j += 4)
                b[i][j + 1] += 1;
            triangle((int)i);
        }
#pragma omp barrier
#pragma omp for schedule(guided)
        for (int i = 0; i < n; i += 3)
            triangle(i);
    }
}

static void collapsed(int n)
{
#pragma omp parallel for schedule(guided) collapse(2)
    for (int i = 0; i < n; i += 3)
        for (int j = 2; j < 7; j += 3)
            b[i][j] += i + j;
}

int main(void)
{
    sweep(N - 2, N - 2, N - 1);
    collapsed(N - 1);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += i * a[i][0] + b[i][2] + b[i][5];
    printf("%.17g\n", sum);
    return 0;
}

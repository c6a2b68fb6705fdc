/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worksharing loop whose parallel region is in the caller. */
#include <stdio.h>

static double a[500] __attribute__((aligned(64))), b[500] __attribute__((aligned(64)));

__attribute__((noinline)) static void share(int n)
{
#pragma omp for
    for (int i = 1; i < n; i++)
        a[i] += b[i - 1];
}

int main(void)
{
#pragma omp parallel
    share(500);
    double sum = 0;
    for (int i = 0; i < 500; i++)
        sum += a[i] + b[i];
    printf("%.17g\n", sum);
    return 0;
}

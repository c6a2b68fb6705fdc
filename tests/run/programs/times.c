/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two regions and serial parts that take at least a known time. */
#include <stdio.h>
#include <unistd.h>

enum { N = 2000 };
static double a[N], b[N];

static void long_one(void)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < N; i++)
            b[i] = a[i] + 1;
        usleep(50000);
    }
}

static void short_one(void)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < N; i++)
            a[i] = b[i] + 1;
        usleep(20000);
    }
}

int main(void)
{
    usleep(20000);
    for (int k = 0; k < 2; k++)
        long_one();
    usleep(20000);
    short_one();
    printf("%g\n", a[N - 1]);
    return 0;
}

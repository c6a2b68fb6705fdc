/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One region that calls a function that calls itself, so that it is recorded access by access, and
 * functions that would be thousands of statements if each call of them were put in line. */
#include <stdio.h>

enum { N = 16 };
static double a[N + 16], b[N];

#define NEVER __attribute__((noinline)) static
NEVER double sum_0(const double *p)
{
    return p[0] + p[1];
}
#define TWICE(name, half)                                                                          \
    NEVER double name(const double *p)                                                             \
    {                                                                                              \
        return half(p) + half(p + 1);                                                              \
    }
TWICE(sum_1, sum_0)
TWICE(sum_2, sum_1)
TWICE(sum_3, sum_2)
TWICE(sum_4, sum_3)
TWICE(sum_5, sum_4)
TWICE(sum_6, sum_5)
TWICE(sum_7, sum_6)
TWICE(sum_8, sum_7)
TWICE(sum_9, sum_8)

NEVER double sum_deep(const double *p, int depth)
{
    return depth == 0 ? 0 : p[0] + sum_deep(p, depth - 1);
}

int main(void)
{
    for (int i = 0; i < N + 16; i++)
        a[i] = i;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        b[i] = sum_9(&a[i]) + sum_deep(a, 3);
    double sum = sum_9(a);
    for (int i = 0; i < N; i++)
        sum += b[i];
    printf("%g\n", sum);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One region that calls functions: one that exists only where it is put in line, one that reads a
 * structure which crosses lines, one that calls itself. */
#include <stdio.h>

enum { N = 100 };
static double a[N + 2], b[N];

struct wide {
    char before[60];
    double value[1];
} __attribute__((packed));
static struct wide at __attribute__((aligned(64)));

/* no definition but this one: the program does not link where GCC leaves a call */
inline double sum_of_three(const double *p)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += p[k];
    return sum;
}

__attribute__((noinline)) static double sum_around(const double *p)
{
    return sum_of_three(p);
}

__attribute__((noinline)) static double read_across(const struct wide *w)
{
    return w->value[0];
}

__attribute__((noinline)) static double sum_deep(const double *p, int depth)
{
    return depth == 0 ? 0 : p[depth % 2] + p[depth % 3] + p[0] + sum_deep(p, depth - 1);
}

int main(void)
{
    for (int i = 0; i < N + 2; i++)
        a[i] = i;
    at.value[0] = 3;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        b[i] = sum_around(&a[i]) + read_across(&at) + sum_deep(a, 8);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += b[i];
    printf("%g\n", sum);
    return 0;
}

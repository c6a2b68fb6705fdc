/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A nest for each function with parallel loops, none for the others. */
double a[10], b[10];

void first(void)
{
#pragma omp parallel for
    for (int i = 0; i < 10; i++)
        a[i] = 0;
}

double second(void)
{
    double s = 0;
    for (int i = 0; i < 10; i++)
        s += a[i];
    return s;
}

static void third(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        b[i] = 0;
}

void (*use)(int) = third;

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "deep/sizes.h"
#include "made.h"

extern double kernel(double);
double a[SIZE], b[SIZE];

void full(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}

void partly(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = kernel(b[i]);
}

void elsewhere(int n)
{
#pragma omp target
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 1;
}
#ifdef DIFFERENT
int different = DIFFERENT;
#endif

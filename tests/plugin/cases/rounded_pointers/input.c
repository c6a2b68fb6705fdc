/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers that are rounded up to a whole line. */
#include <stdint.h>
#include <stdlib.h>
#define ALIGN(p) ((p) + ((((uintptr_t)(p) + 63) / 64 * 64) - (uintptr_t)(p)) / sizeof *(p))
void of_block(int n)
{
    double *block = malloc((n + 8) * sizeof *block);
    double *a = ALIGN(block);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 0;
    free(block);
}
void of_parameter(int n, double *p, const int *idx)
{
    double *a = (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[idx[i]] += p[i];
}
void in_team(int n, double *out)
{
#pragma omp parallel
    {
        double *block = malloc((n + 8) * sizeof *block);
        double *own = (double *)(((uintptr_t)block + 63) & -64);
        for (int i = 0; i < n; i++)
            own[i] = i;
#pragma omp for
        for (int i = 0; i < n; i++)
            out[i] = own[n - 1 - i];
        free(block);
    }
}
void refused(int n, int steps, double *p)
{
    for (int t = 0; t < steps; t++) {
        double *a = (double *)(((uintptr_t)(p + 3 * t) + 63) & ~(uintptr_t)63);
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] = 0;
    }
}

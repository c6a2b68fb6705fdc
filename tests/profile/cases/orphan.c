/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worksharing loops whose parallel region is in a caller, who may have a region of his own. */
#include <stdio.h>

static double a[64], b[64];

static void fill(double *x, int n)
{
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
        x[i] += i;
}

static void twice(double *x, int n)
{
    fill(x, n);
    fill(x, n);
}

int main(void)
{
    fill(b, 64);
    for (int t = 0; t < 3; t++) {
#pragma omp parallel num_threads(4)
        {
            twice(a, 64);
#pragma omp for schedule(static)
            for (int i = 0; i < 64; i++)
                b[i] += 1;
        }
    }
    printf("%g %g\n", a[63], b[63]);
    return 0;
}

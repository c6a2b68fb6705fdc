/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks whose sizes change from one iteration to the next, or are in an array. */
#include <stdlib.h>
void grows(int n, double *out)
{
    for (int i = 1; i < n; i++) {
        double *x = malloc(sizeof *x * i * n);
#pragma omp parallel for
        for (int j = 0; j < i * n; j++)
            x[j] = j;
        out[i] = x[i];
        free(x);
    }
}
void given(int n, int m, const int *restrict size, double *restrict out)
{
    double *x = malloc(sizeof *x * size[m] * n);
#pragma omp parallel for
    for (int j = 0; j < n; j++)
        x[j] = out[j];
    out[0] = x[n - 1];
    free(x);
}

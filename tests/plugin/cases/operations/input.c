/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations by group and line: what belongs to a subscript, a loop or a reference is not among them. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

void stencil(int n, double *restrict a, const double *restrict b, double w)
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
        a[i] = (b[i - 1] + b[i] + b[i + 1]) * w / 3.0;
}

void mixed(int n, int m, float *restrict x, double *restrict y, int *restrict k, double complex *restrict z)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        x[2 * i + 1] = sqrtf(x[i]) + x[i] / 3.0f;
        y[i] = exp(y[i]) * fmax(y[i], 1.0);
        k[i] = k[i] * 3 + k[i] / m - i % 5;
        z[i] = z[i] * z[i];
        if (i < m)
            y[i] += (double)k[i];
        else
            y[i] = -y[i];
    }
}

/* The branch accesses nothing: its longer way counts. The loop over s accesses nothing, too. */
void apart(int n, int steps, double *restrict y)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double v = y[i], t = 0;
        if (v > 0.5)
            v = v * v + 1.0;
        else
            v = -v;
        for (int s = 0; s < steps; s++)
            t += v * s;
        y[i] = t + rand();
    }
}

void pairs(int n, int m, double a[n][m])
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] *= 2.0 * i + j;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With scalars=on accesses to scalars in memory are references, too. */
double alpha;

void axpy(int n, double *x, double *y, const double *beta)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        y[i] = alpha * x[i] + *beta * y[i];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds that are loaded: the upper one before every iteration and once more to leave. */
void spmv(int n, const int *rowptr, const int *col, const double *val, const double *x, double *y)
{
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = rowptr[i]; j < rowptr[i + 1]; j++)
            sum += val[j] * x[col[j]];
        y[i] = sum;
    }
}

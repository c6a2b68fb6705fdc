/* SPDX-License-Identifier: GPL-3.0-or-later */
double dot(int n, const double *x, const double *y, double *most)
{
    double sum = 0, top = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : top)
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
        if (x[i] > top)
            top = x[i];
    }
    *most = top;
    return sum;
}

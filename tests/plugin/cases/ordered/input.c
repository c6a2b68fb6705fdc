/* SPDX-License-Identifier: GPL-3.0-or-later */
void chain(int n, double *a, double *b)
{
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 1; i < n; i++) {
        b[i] = a[i];
#pragma omp ordered
        a[i] = a[i - 1] + b[i];
    }
}

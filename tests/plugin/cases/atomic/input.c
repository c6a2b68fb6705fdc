/* SPDX-License-Identifier: GPL-3.0-or-later */
void sums(int n, int m, double *restrict a, long *restrict c, const int *restrict bin)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double x;
        long old;
#pragma omp atomic
        a[bin[i]] += 2;
#pragma omp atomic read
        x = a[i];
#pragma omp atomic write
        a[i + 1] = x + m;
#pragma omp atomic capture
        old = c[i]++;
        c[n + i] = old;
    }
}

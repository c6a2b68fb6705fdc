/* SPDX-License-Identifier: GPL-3.0-or-later */
void half(int n, int threads, double *a)
{
#pragma omp parallel for num_threads(threads) if (n > 1000)
    for (int i = 0; i < n; i++)
        a[i] *= 0.5;
#pragma omp parallel num_threads(4)
#pragma omp for
    for (int i = 0; i < n; i++)
        a[i] *= 0.5;
}

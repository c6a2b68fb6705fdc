/* SPDX-License-Identifier: GPL-3.0-or-later */
void simd(int n, double *a)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}

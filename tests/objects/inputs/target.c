/* SPDX-License-Identifier: GPL-3.0-or-later */
void target(int n, double *a)
{
#pragma omp target map(tofrom : a[0 : n])
#pragma omp teams distribute parallel for
    for (int i = 0; i < n; i++)
        a[i] += 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
static double a[256];
double work(int n)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < n; i++)
        a[i] += i;
    return a[n - 1];
}

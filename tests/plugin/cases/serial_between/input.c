/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serial code between the parallel loops is described, what is before and after them is not. */
void phases(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 1; i < n; i++)
        b[i] += b[i - 1];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = b[n - 1 - i];
    for (int i = 0; i < n; i++)
        b[i] = 0;
}

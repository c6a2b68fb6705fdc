/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constructs that are not described are named in their place. */
void tree(int n, double *a)
{
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task
            a[0] = 1;
#pragma omp taskwait
        }
#pragma omp for
        for (int i = 0; i < n; i++)
            a[i] = 0;
    }
#pragma omp target map(tofrom : a[0 : n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
    for (int i = 0; i < n; i++)
        a[i] += 2;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worksharing loop whose parallel region is in a caller. */
double a[100];

void part(int n)
{
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++)
        a[i] = 0;
#pragma omp for
    for (int i = 0; i < n; i++)
        a[i] += 1;
}

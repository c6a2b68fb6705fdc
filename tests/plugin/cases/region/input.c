/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several loops in one region: nowait, barrier, replicated code. */
void steps(int n, double *a, double *b, double *c)
{
#pragma omp parallel
    {
        for (int i = 0; i < 4; i++)
            c[i] = i;
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            a[i] += c[0];
#pragma omp for schedule(dynamic, 16) nowait
        for (int i = 0; i < n; i++)
            b[i] += c[1];
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < n; i++)
            c[i] = a[n - 1 - i] + b[i];
    }
}

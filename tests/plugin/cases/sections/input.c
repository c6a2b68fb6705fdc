/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever comes takes the next section. */
void both(int n, double *a, double *b)
{
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < n; i++)
            a[i] = 1;
#pragma omp section
        for (int i = 0; i < n; i++)
            b[i] = 2;
    }
}

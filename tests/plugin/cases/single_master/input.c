/* SPDX-License-Identifier: GPL-3.0-or-later */
void work(int n, double *a, double *b)
{
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < n; i++)
            a[i] = 0;
#pragma omp master
        b[0] = a[1];
#pragma omp single nowait
        b[1] = a[2];
#pragma omp for
        for (int i = 0; i < n; i++) {
#pragma omp critical
            a[0] += b[i];
        }
    }
}

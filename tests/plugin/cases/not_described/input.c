/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that are not described, each with its reason. */
int find(const int *, int);

void odd(int n, double *a, int *next, double **list)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int k = 1; k < n; k *= 2)
            a[k] += 1;
        for (int k = 0; k < n; k++) {
            if (a[k] < 0)
                break;
            a[k] = 0;
        }
        for (int k = i; k >= 0; k = next[k])
            a[k] += 1;
        a[i] = find(next, i);
        while (a[i] > 1)
            a[i] *= 0.5;
    }
}

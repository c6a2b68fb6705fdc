/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that wait for the iteration before: sums, recursive filters, values that are loaded where they were just stored. */
#include <math.h>

void chains(int n, double *restrict a, double *restrict y, const int *restrict k, double b, double c)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0, last = 0, last2 = 0, root = 1, most = 0;
        int hash = 1, other = 0;
        for (int j = 0; j < n; j++) /* one sum; the product does not wait */
            sum += a[j] * b;
        for (int j = 0; j < n; j++) { /* a product and two sums: last; last2 is older */
            y[i * n + j] = a[j] + b * last + c * last2;
            last2 = last;
            last = y[i * n + j];
        }
        for (int j = 0; j < n; j++) { /* the longest of three */
            root = sqrt(root + a[j]);
            hash = hash * 31 + k[j];
            other += j;
        }
        for (int j = 0; j < n; j++) /* either way */
            if (a[j] > most)
                most = most * b + 1.0;
            else
                most = most / c;
        for (int j = 0; j < n; j++) /* none */
            y[j * n + i] = a[j] * b;
        a[i] = sum + last + root + hash + other + most;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of what varies have no place in a nest: the reference is unknown, its neighbours are
 * described. */
void products(int n, double *restrict a, const double *restrict b, const int *restrict p)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = b[i * j] + b[j];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i * p[i]; j++)
            a[j] = 0;
        a[i] += b[i];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps other than 1, up and down. */
double a[1000], b[1000];

void strided(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i += 3)
        a[i] = b[i];
#pragma omp parallel for
    for (int i = n - 1; i >= 0; i--)
        a[i] = b[i];
#pragma omp parallel for
    for (int i = 999; i > 4; i -= 5)
        for (int j = i; j != 0; j--)
            a[i] += b[j];
#pragma omp parallel for
    for (int i = 0; i != n; i++)
        for (int j = 10; j <= 30; j += 2)
            a[i] += b[j];
}

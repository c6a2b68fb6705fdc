/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Halves, rounding, remainders of numbers that may be negative. */
double a[1000];

void half(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n / 2; i++)
        a[i] = a[n - 1 - i] + a[(i + 1) / 2] + a[i % 10];
#pragma omp parallel for
    for (int i = -10; i < (n + 1) / 2; i++)
        a[i / 3 + 10] = a[(i + 10) / 3] + a[(i % 4) + 4];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A double is not stored over an int: the bound stays what it is. */
void fine(const int *n, double *a)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < *n; j++)
            a[j] += i;
}

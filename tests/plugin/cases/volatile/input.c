/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volatile memory is accessed as the source says; a volatile value is not the same twice. */
volatile double v[100];
volatile int flag, where;
double a[100];

void access(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        v[i] = v[i] + a[i];
}

void index(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[where] = 1;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (flag)
            a[i] = 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that never run, or whose unsigned step leads past the bound at once. */
double a[100];

void never(void)
{
#pragma omp parallel for
    for (int i = 9; i < 3; i++)
        a[i] = 1;
#pragma omp parallel for
    for (int i = 3; i > 9; i--)
        a[i] = 2;
}

void once(void)
{
#pragma omp parallel for
    for (unsigned long long j = 20; j <= 0x7fffffffffffffb9ull; j += 0x8000000000000031ull)
        a[j] = 3;
#pragma omp parallel for
    for (unsigned long long j = 30; j < ~0ull; j += ~0ull - 5)
        for (int i = 0; i < 10; i++)
            a[j + i] = 4;
}

void large(double *b)
{
#pragma omp parallel for
    for (unsigned long long j = ~0ull - 3; j >= 0x8000000000000045ull; j -= 0x8000000000000031ull)
        for (int i = 0; i < 10; i++)
            b[i] = 5;
#pragma omp parallel for
    for (unsigned long long j = 1; j < ~0ull; j += 0x4000000000000000ull)
        b[0] = 6;
#pragma omp parallel for
    for (unsigned long long j = ~0ull - 9; j < ~0ull; j++)
        b[j + 10] = 7;
}

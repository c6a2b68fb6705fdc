/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that are variables, and counters of narrow types: a counter is taken to stay in its type's
 * range, so that the conversions on its way change nothing. */
int a[4096];

void variable_steps(short narrow, int step, char small, long wide)
{
#pragma omp parallel for
    for (short j = 16; j < 112; j += narrow)
        a[j] = j;
#pragma omp parallel for
    for (short j = 16; j < 112; j += step)
        a[j] = j;
#pragma omp parallel for
    for (long j = 16; j < 112; j += small)
        a[j] = j;
#pragma omp parallel for
    for (int j = 112; j > 10; j -= wide)
        a[j] = j;
}

void narrow_counters(int step, int n, int b)
{
#pragma omp parallel for
    for (signed char j = 11; j <= 100; j = j + step)
        a[j] = 1;
#pragma omp parallel for
    for (unsigned char j = 100; j > 10; j -= step)
        a[j + 1] = 1;
#pragma omp parallel for
    for (unsigned char j = 100; j > 10; j--)
        a[j] = 1;
#pragma omp parallel for
    for (short j = 100; j > 10; j -= 7)
        a[j] = 1;
#pragma omp parallel for
    for (int j = 0; j < n; j += (b & 3) + 7)
        a[j] = 1;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (signed char k = 0; k < 8; k += step)
            a[i + k] = 1;
}

/* Not a counter: the value is taken modulo 2^16. */
void narrow_value(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[(short)(3 * i) + 32768 - 30000] = 1;
}

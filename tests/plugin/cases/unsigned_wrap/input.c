/* SPDX-License-Identifier: GPL-3.0-or-later
 * Unsigned numbers that wrap around: of 32 bits they are taken modulo 2^32, of 64 bits not
 * described. */
double x[1000];
void a(unsigned m)
{
#pragma omp parallel for
    for (unsigned i = 0; i < 8; i++)
        for (unsigned k = -m; k < -m + 4; k++)
            x[k + m + i] = 1;
}
void b(unsigned m, int n)
{
#pragma omp parallel for
    for (int t = -5; t < n; t++)
        for (unsigned k = 0; k < (unsigned)t % 3; k++)
            x[k] = 1;
}
void c(unsigned long m, int n)
{
#pragma omp parallel for
    for (int t = -5; t < n; t++)
        for (unsigned long k = 0; k < (unsigned long)t % 3; k++)
            x[k] = 1;
}
void d(unsigned n)
{
#pragma omp parallel for
    for (unsigned i = 1; i < n; i++) {
        x[i - 1] += x[(i + n - 1) % n];
        if (i - 3 < n)
            x[i] = 2;
        if (i >= 4 && (i - 4) / 3 < 2)
            x[i] = 3;
    }
}
void e(unsigned long n, int lo)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if ((unsigned long)(i - 1) < n)
            x[i - 1] += 1;
        if (i != 0)
            x[(unsigned long)(i - 1) / 2] = 2;
        x[((unsigned long)i - 1) / 2] = 3;
    }
}
void g(unsigned m)
{
#pragma omp parallel for
    for (unsigned i = 0; i < 8; i++)
        for (unsigned k = 0; k < -m; k += 1u << 28)
            x[i] = 1;
}
void h(unsigned m, long *y)
{
#pragma omp parallel for
    for (unsigned i = 0; i < m; i++) {
        x[i - 1 + 1] = y[i - 2];
        x[(int)(i - 4) >> 1] = 2;
        x[(i - 4) >> 1] = 2;
    }
}
void from_a_large_constant(unsigned long n)
{
#pragma omp parallel for
    for (int i = 0; i < 8; i++)
        for (unsigned long j = -10; j < n; j++)
            x[i] += 1;
}

void of_a_choice(int n) {
#pragma omp parallel for
  for (int t = 1; t < n; t++)
    if ((unsigned)(-2 * t % 9) % 3 == 1)
      x[t] = 1;
}

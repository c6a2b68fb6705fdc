/* SPDX-License-Identifier: GPL-3.0-or-later
 * Differences of unsigned numbers of which it is not known that they are not negative. */
double x[1000];

void of_what_is_loaded(unsigned *idx, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        x[(idx[i] - 5u) / 3] = 1;
        x[idx[i] - 5u] = 2;
        x[(idx[i] - idx[i + 1]) % 7] = 3;
        for (unsigned k = 0; k < (idx[i] - 5u) / 3; k++)
            x[k] = 4;
        for (unsigned k = 0; k < idx[i + 1] - idx[i]; k += 1u << 28)
            x[k >> 28] = 5;
    }
}

void of_what_is_loaded_in_64_bits(unsigned *idx, unsigned long n)
{
#pragma omp parallel for
    for (unsigned long i = 0; i < n; i++)
        x[((unsigned long)idx[i] - 5) / 3] = x[(n - 1) / 2];
}

void of_two_symbols(unsigned n, unsigned m)
{
#pragma omp parallel for
    for (int i = 0; i < 8; i++) {
        for (unsigned k = 0; k < n - m; k += 1u << 28)
            x[k >> 28] = 1;
        if (n - m > 100)
            x[i] = 2;
        x[(n - m) % 7] = 3;
    }
#pragma omp parallel for
    for (unsigned i = 0; i < (n - m) % 5; i++)
        x[i] = 4;
    if (n > m) {
#pragma omp parallel for
        for (unsigned i = 0; i < n - m; i++)
            x[i] = 5;
    }
}

void known_by_the_loop(unsigned n, unsigned m)
{
#pragma omp parallel for
    for (unsigned i = 0; i < n; i++) {
        if (i < n - 1)
            x[n - 1 - i] = 1;
        for (unsigned k = 0; k < n - i; k++)
            x[(n - i - 1) / 2] = 2;
        for (unsigned k = 0; k < m - i; k++)
            x[k] = 3;
    }
}

void of_64_bits(unsigned long n, unsigned long m)
{
#pragma omp parallel for
    for (unsigned long i = 0; i < 10; i++) {
        if (i < n - m)
            x[i] = 1;
        x[(n - m) / 3] = 2;
        for (unsigned long k = 0; k < n - m; k++)
            x[k] = 3;
    }
}

void from_below(unsigned n, unsigned m)
{
#pragma omp parallel for
    for (int i = 0; i < 8; i++) {
        for (unsigned k = n - 1; k < m; k++)
            x[k] = 1;
        for (unsigned k = n - 1; k > 3; k--)
            x[k] = 2;
        for (unsigned k = m; k > n - 7; k--)
            x[k] = 3;
        for (unsigned long k = m; k > (unsigned long)n - 7; k--)
            x[k] = 4;
    }
#pragma omp parallel for
    for (unsigned k = m - 7u; k > n - 7; k--)
        x[k] = 5;
}

/* GCC makes 2 * (n + 2147483646u) of n + n - 4. */
void of_a_double(unsigned n)
{
#pragma omp parallel for
    for (int i = 0; i < 8; i++) {
        int k = (int)n + (long)n - 4;
        if (k > 5)
            x[k] = 1;
        x[i + 22 - k] = 2;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unsigned and wide indices; i - 1u is i + 4294967295u in the compiler. */
#include <stddef.h>
#include <stdint.h>

void shift(unsigned n, size_t m, double *a, double (*b)[64])
{
#pragma omp parallel for
    for (unsigned i = 1; i < n; i++)
        a[i - 1u] = a[i];
#pragma omp parallel for
    for (size_t i = m; i > 0; i--) {
        a[i - 1] = b[i][i & 63];
        for (size_t j = i; j-- > 0;)
            a[j] = 0;
    }
#pragma omp parallel for
    for (uint8_t i = 0; i < 200; i++)
        a[(uint8_t)(i * 3)] = b[i >> 2][i % 4];
    for (int64_t k = 0; k < 10; k++)
#pragma omp parallel for
        for (int64_t i = k / 2; i < (int64_t)m; i++)
            a[i << 1] = 0;
}

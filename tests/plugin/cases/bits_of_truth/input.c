/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons joined by & and |, single bits, bits that are set. */
double a[4096], b[4096];
void joined(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int inside = i > 0 & i < n - 1 & j > 0 & j < n - 1;
            int edge = (i == 0) | (j == 0);
            if (inside)
                a[i * n + j] = 1;
            if (edge)
                b[i * n + j] = 2;
        }
}
void single_bits(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i | 1] = b[i & ~1];
        if (i & 4)
            a[i] = 3;
        b[i & 8] = a[i ^ 1];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
void push(int n, const int *restrict from, const int *restrict to, float *restrict a,
          const float *restrict b)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[to[i]] = b[from[i] + 1] * b[2 * from[i]];
}

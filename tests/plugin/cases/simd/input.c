/* SPDX-License-Identifier: GPL-3.0-or-later */
void both(int n, float *a, const float *b)
{
#pragma omp parallel for simd schedule(static, 8)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp simd
        for (int j = 0; j < 8; j++)
            a[8 * i + j] = b[j];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constant row length in a flat array. */
void scale(double *a, double *b)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 32; j++)
            a[i * 32 + j] = b[j * 100 + i];
}

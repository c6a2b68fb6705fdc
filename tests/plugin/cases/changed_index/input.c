/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop could overwrite the bound, an int in memory, but it would race. The index array is stored to, too,
   but each element by its own iteration, which has read it. */
void broken(int *n, int *a, double *x, int *idx)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < *n; j++)
            a[j] = j;
        x[idx[i]] = 0;
        idx[i] = i;
    }
}

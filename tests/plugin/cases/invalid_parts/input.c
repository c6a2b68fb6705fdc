/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a nest cannot say costs its own loop, and not the function. */
void chunks(int r, int n, const int *size, double *a, double *b)
{
#pragma omp parallel for schedule(static, size[r])
    for (int i = 0; i < n; i++)
        a[i] = 1;
#pragma omp parallel for num_threads(size[r])
    for (int i = 0; i < n; i++)
        a[i] = 2;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        b[i] = 1;
}

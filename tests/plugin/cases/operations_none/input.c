/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ops=on: a nest that computes nothing says so. */
void copy(int n, const double *a, double *b)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        b[i] = a[i];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
void lent(double *x, int n);
void lent(double *x, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] += 1;
}

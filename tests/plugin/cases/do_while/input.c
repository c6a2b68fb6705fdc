/* SPDX-License-Identifier: GPL-3.0-or-later */
void atleast(int n, int m, double *a)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int j = 0;
        do {
            a[i + j] += 1;
            j++;
        } while (j < m);
        int k = 0;
        do
            a[k] += 2;
        while (++k < 10);
    }
}

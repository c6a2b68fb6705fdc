/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop by goto, and code that jumps into the middle of one. */
void jumps(int n, double *a)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int j = 0;
    again:
        a[i + j] = 0;
        if (++j < 8)
            goto again;
        if (i > 5)
            goto middle;
        while (j < 20) {
            a[j] += 1;
        middle:
            a[j] += 2;
            j++;
        }
    }
}

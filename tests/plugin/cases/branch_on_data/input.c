/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the branch does is not described; what is before and after it is. */
void clip(int n, double *a, double *b, double limit)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] > limit)
            b[i] = limit;
        b[i] += 1;
    }
}

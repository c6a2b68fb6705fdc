/* SPDX-License-Identifier: GPL-3.0-or-later */
/* branches=on: a branch on data has the probability that the compiler estimates, the same at all levels. What all threads decide
 * alike outside of the loops is still a symbol, and an affine guard a guard. */
void clip(int n, int m, double *a, double *b, double limit)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (__builtin_expect(a[i] > limit, 0))
            b[i] = limit;
        else if (a[i] < -limit && b[i] > limit)
            b[i] = a[i];
        if (i < m)
            b[i] += 1;
        if ((long)a[i] < 0)
            a[i] = -a[i];
        for (int j = 0; j < m; j++)
            if (b[j] > limit || a[j] > limit)
                a[j] *= 2;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many iterations there are left, an inner loop finds out that is left early: the reason says
   so. */
void eat(int n, const int *restrict stop, double *restrict x)
{
    while (n > 0) {
        int some;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[i] += 1;
        for (some = 0; some < n; some++)
            if (stop[some])
                break;
        n -= some;
    }
}

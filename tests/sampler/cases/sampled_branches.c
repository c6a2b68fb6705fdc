/* SPDX-License-Identifier: GPL-3.0-or-later
 * Loops behind conditions of two parts on what is in memory: each access counts once, whichever
 * part decides. */
#include <stdio.h>

static double A[100], B[100];

__attribute__((noinline)) static void either(int n, const double *p, const double *q)
{
    if (*p > 0.5 || *q > 0.5) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            A[i] += B[i];
    } else {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            B[i] += 1;
    }
}

__attribute__((noinline)) static void both(int n, const double *p, const double *q)
{
    for (int t = 0; t < 3; t++) {
        if (p[t] > 0.5 && q[t] > 0.5) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                A[i] += B[i];
        }
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            B[i] += 1;
    }
}

int main(void)
{
    double no[3] = {0}, yes[3] = {1, 1, 1};
    either(40, yes, no);
    either(50, no, yes);
    either(60, no, no);
    both(70, no, yes);
    both(80, yes, yes);
    printf("%g %g\n", A[3], B[4]);
    return 0;
}

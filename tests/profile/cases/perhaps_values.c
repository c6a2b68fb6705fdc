/* SPDX-License-Identifier: GPL-3.0-or-later
 * Symbols of decisions: whether a pointer is null, what a call gave on one of the ways to the region. */
#include <stdio.h>
#include <stdlib.h>

static double A[100], B[100];


__attribute__((noinline)) static void work(int n, const double *p, const int *flag)
{
    int big = *flag > 3 && atoi("7") >= 5;
#pragma omp parallel
    {
        if (p != NULL) {
#pragma omp for
            for (int i = 0; i < n; i++)
                A[i] = p[i] + 1;
        }
        if (big) {
#pragma omp for
            for (int i = 0; i < n; i++)
                B[i] = A[i];
        }
    }
}

int main(void)
{
    int flag = 4;
    work(50, NULL, &flag);
    work(60, B, &flag);
    flag = 2;
    work(70, B, &flag);
    printf("%g\n", A[3] + B[4]);
    return 0;
}

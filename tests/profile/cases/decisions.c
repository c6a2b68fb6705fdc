/* SPDX-License-Identifier: GPL-3.0-or-later
 * Branches that only the run decides, of several conditions: what it did not come to, what it came
 * to in every step of a loop, with the same answer or not. */
#include <stdio.h>

static double A[100], B[100];

__attribute__((noinline)) static void add(int n)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < n; i++)
        A[i] += 1;
}

__attribute__((noinline)) static void both(int n, const double *p, const double *q)
{
    if (*p > 0.5 && *q > 0.5) {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < n; i++)
            A[i] += B[i];
    }
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < n; i++)
        B[i] += 1;
}

__attribute__((noinline)) static void either(int n, const double *p, const double *q)
{
    if (*p > 0.5 || *q > 0.5) {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < n; i++)
            A[i] += B[i];
    } else {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < n; i++)
            B[i] += 1;
    }
}

__attribute__((noinline)) static void steps(int n, const double *p, const double *q)
{
    for (int t = 0; t < 6; t++) {
        if (p[t] > 0.5 && !(q[t] > 0.5)) {
#pragma omp parallel for num_threads(2) schedule(static)
            for (int i = 0; i < n; i++)
                A[i] += B[i];
        }
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < n; i++)
            B[i] += 1;
    }
}

int main(void)
{
    double no[6] = {0}, yes[6] = {1, 1, 1, 1, 1, 1}, other[6] = {0, 1, 0, 1, 0, 1};
    add(5);
    both(10, no, yes);
    both(20, yes, no);
    both(30, yes, yes);
    either(40, yes, no);
    either(50, no, yes);
    either(60, no, no);
    steps(70, no, no);
    steps(80, yes, no);
    steps(90, yes, yes);
    steps(100, other, no);
    printf("%g %g\n", A[3], B[4]);
    return 0;
}

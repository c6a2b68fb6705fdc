/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A function that a team executes, with work around its worksharing loops; unsigned numbers that wrap around. */
#include <stdio.h>

#define N 96
static double histogram[N] __attribute__((aligned(64)));
static int key[N] __attribute__((aligned(64))), out[N] __attribute__((aligned(64)));

__attribute__((noinline)) static void ranks(int n)
{
    int own[N] __attribute__((aligned(64)));
#pragma omp master
    for (int i = 0; i < n; i++)
        histogram[i] = 0;
#pragma omp barrier
    for (int i = 0; i < n; i++)
        own[i] = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
        out[i] = key[i];
        own[i % 7] += 1;
    }
    for (int i = 1; i < n; i++)
        own[i] += own[i - 1];
#pragma omp critical
    for (int i = 0; i < n; i++)
        histogram[i] += own[i];
#pragma omp barrier
}

__attribute__((noinline)) static void wraps(unsigned m, int first, int n)
{
#pragma omp parallel for
    for (int t = -9; t < n; t++)
        for (unsigned k = 0; k < (unsigned)t % 5; k++)
            out[k] = 1;
#pragma omp parallel for
    for (int t = 0; t < n; t++)
        for (unsigned k = -m; k < -m + 4; k++)
            key[k + m] += t * 0;
#pragma omp parallel for
    for (int t = 0; t < n; t++)
        if ((unsigned)(t - 3) < (unsigned)n - 8)
            out[t] = first;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        key[i] = i;
#pragma omp parallel num_threads(2)
    ranks(N);
    wraps(17, 5, 40);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += histogram[i] * (i + 1) + out[i];
    printf("%g\n", sum);
    return 0;
}

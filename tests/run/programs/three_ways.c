/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three regions: one in closed form, one whose subscripts are data, one that no sampler takes. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000 };
#define ALIGNED __attribute__((aligned(64))) /* in programs of all modes alike */
static double a[N] ALIGNED, b[N] ALIGNED, x[N] ALIGNED;
static int next[N] ALIGNED;

static void scale(int n)
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i - 1] + a[i + 1];
}

static void gather(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] += a[next[i]];
}

/* How often it is repeated depends on what a reduction gives. */
static void relax(int n)
{
    double change;
    do {
        change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 0; i < n; i++) {
            double was = b[next[i]];
            b[next[i]] = was / 2;
            change += was;
        }
    } while (change > 1000);
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        next[i] = (int)((i * 1237L + 11) % N);
        a[i] = i;
    }
    for (int k = 0; k < 3; k++) {
        scale(N);
        gather(N);
    }
    relax(N);
    printf("%g %g\n", b[17], x[5]);
    return 0;
}

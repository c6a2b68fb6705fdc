/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region whose subscripts are data, which a sampler takes, one that is described, and what is
 * around them.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, GATHERED = 6000 };

static double *a, *b;
static int *at;

static void scale(double by)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
        a[i] = a[i] * by;
}

static void gather(int shift)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < GATHERED; i++)
        b[i] = a[at[i + shift]];
}

int main(void)
{
    a = malloc(N * sizeof *a);
    b = malloc(GATHERED * sizeof *b);
    at = malloc(N * sizeof *at);
    for (int i = 0; i < N; i++) {
        a[i] = i;
        at[i] = (int)(i * 2654435761u >> 8) % N;
    }
    for (int time = 0; time < 8; time++) {
        gather(1000 * (time % 2));
        if (time % 3)
            scale(.5);
    }
    printf("%g\n", a[5] + b[7]);
    return 0;
}

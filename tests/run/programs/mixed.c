/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region that is described, one that is recorded, and what is around them: each finds in the
 * cache what the others leave. With MORE nearly all is described.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, LISTS = 64 };

static double *a, *b;
static int *next;

static void scale(double by)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
        a[i] = a[i] * by + b[i];
}

static double follow(int first)
{
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int list = 0; list < LISTS; list++)
        for (int at = first + list, n = 0; at >= 0 && n < 100; at = next[at], n++)
            sum += a[at];
    return sum;
}

int main(void)
{
    double sum = 0;
    a = malloc(N * sizeof *a);
    b = malloc(N * sizeof *b);
    next = malloc(N * sizeof *next);
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
        next[i] = (i * 7919 + 13) % N;
    }
    for (int time = 0; time < 6; time++) {
        scale(.5);
        sum += follow(time * 100);
        if (time % 2)
            scale(1.5);
#ifdef MORE
        for (int more = 0; more < 40; more++)
            scale(1 - 1e-3 * more);
#endif
    }
    printf("%g\n", sum);
    return 0;
}

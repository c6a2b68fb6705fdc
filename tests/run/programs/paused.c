/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region that is recorded, with another one nested in it: what it touches again after
 * that is as far back as both tell. With DESCRIBED the outer one is described, with SAMPLED its
 * subscripts are data.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 8000, M = 24000, LISTS = 40 };

static double *a, *b;
static int *next;

static void sweep(double by)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < M; i++)
        b[i] = b[i] * by;
}

static double solve(int times)
{
    double sum = 0;
#pragma omp parallel for schedule(static)
#ifdef DESCRIBED
    for (int i = 0; i < N; i++)
        a[i] = i;
#else
    for (int list = 0; list < LISTS; list++)
        for (int at = 200 * list, n = 0; at >= 0 && n < N / LISTS; at = next[at], n++)
            a[at] = at;
#endif
    for (int time = 0; time < times; time++) {
        sweep(.5);
#pragma omp parallel for schedule(static) reduction(+ : sum)
#ifdef DESCRIBED
        for (int i = 0; i < N; i++)
            sum += a[i];
#elif defined SAMPLED
        for (int i = 0; i < N; i++)
            sum += a[next[i]];
#else
        for (int list = 0; list < LISTS; list++)
            for (int at = 200 * list, n = 0; at >= 0 && n < N / LISTS; at = next[at], n++)
                sum += a[at];
#endif
    }
    return sum;
}

int main(void)
{
    a = malloc(N * sizeof *a);
    b = malloc(M * sizeof *b);
    next = malloc(N * sizeof *next);
    for (int i = 0; i < N; i++)
        next[i] = (int)(i * 2654435761u >> 8) % N;
    for (int i = 0; i < M; i++)
        b[i] = i;
    double sum = solve(12);
    printf("%g\n", sum + solve(5));
    return 0;
}

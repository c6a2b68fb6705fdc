/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A counter for each thread, all in one line; with -DCURED each in a line of its own. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef CURED
enum { APART = 8 };
#else
enum { APART = 1 };
#endif

static void count(long n, const int *restrict what, volatile long *counter)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (long i = 0; i < n; i++)
            counter[me * APART] += what[i];
    }
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 4000000, all = 0;
    static long counter[64 * 8];
    int *what = calloc((size_t)n, sizeof *what);
    if (!what)
        return 1;
    for (int t = 0; t < 4; t++)
        count(n, what, counter);
    for (int t = 0; t < 64 * 8; t++)
        all += counter[t];
    printf("%ld\n", all);
    free(what);
    return 0;
}

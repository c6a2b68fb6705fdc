/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks that other threads execute in the barrier at the region's end, while their maker waits. */
#include <stdio.h>
#include <unistd.h>

enum { N = 16000, PART = 1000 };
static double a[N];

static void work(int from)
{
    for (int i = from; i < from + PART; i++)
        a[i] += i;
}

int main(void)
{
#pragma omp parallel
#pragma omp master
    {
        for (int k = 0; k < N; k += PART) {
#pragma omp task firstprivate(k)
            work(k);
        }
        usleep(30000);
    }
    printf("%g\n", a[N - 1]);
    return 0;
}

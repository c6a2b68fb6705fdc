/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exit() in a region, while other threads are at it. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20 };
static double a[N];

int main(void)
{
    printf("here\n");
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < N; i++) {
        a[i] = i;
        if (i == N / 2 + 1000)
            exit(3);
    }
    return 0;
}

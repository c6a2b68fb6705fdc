/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program of two parallel loops.
 */
#include <stdio.h>

#ifndef N
#define N 4096
#endif
static double a[N], b[N];

int main(void)
{
    for (int t = 0; t < 3; t++) {
#pragma omp parallel for schedule(static, 64)
        for (int i = 0; i < N; i++)
            a[i] = a[i] + i;
#pragma omp parallel for schedule(dynamic, 256)
        for (int i = 1; i < N; i++)
            b[i] = a[i] + a[i - 1];
    }
    printf("%g\n", b[N - 1]);
    return 0;
}

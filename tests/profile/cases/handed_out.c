/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose iterations are handed out on demand: each is recorded once, with who executed it. */
#include <stdio.h>

static double a[100], b[20][30], c[64];

int main(void)
{
    for (int t = 0; t < 2; t++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp for schedule(dynamic, 7)
            for (int i = 0; i < 100; i++)
                a[i] += i;
#pragma omp for schedule(guided) collapse(2) nowait
            for (int i = 2; i <= 19; i++)
                for (int j = 29; j > 0; j -= 2)
                    b[i][j] += a[i];
#pragma omp for simd schedule(runtime)
            for (int i = 60; i >= 0; i -= 4)
                c[i] += 1;
#pragma omp sections
            {
#pragma omp section
                c[1] += 1;
#pragma omp section
                c[2] += 1;
            }
        }
    }
    printf("%g %g %g\n", a[99], b[19][1], c[0] + c[1]);
    return 0;
}

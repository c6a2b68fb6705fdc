/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads exchange pointers of their own between two steps; a pointer is chosen by the iteration.
 */
#include <stdio.h>

static _Alignas(64) float left[64], right[64], third[64];

static void exchange(int n, int steps, float *in, float *out)
{
#pragma omp parallel
    {
        float *from = in, *to = out;
        for (int s = 0; s < steps; s++) {
#pragma omp for
            for (int i = 0; i < n; i++)
                to[i] = from[i] * .5f;
            float *t = from;
            from = to;
            to = t;
        }
    }
}

static void choose(int n, float *x, float *y, float *z)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float *to = i < n / 2 ? x : y;
        to[i] += z[i];
    }
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        left[i] = i;
    exchange(64, 3, left, right);
    choose(50, left, right, third);
    printf("%g %g\n", (double)right[3], (double)left[7]);
    return 0;
}

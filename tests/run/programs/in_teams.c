/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region whose subscripts are data, and one that is recorded, which threads execute as a team's
 * that is another region's: of what that one did before them it is not known.
 */
#include <stdio.h>

enum { N = 8000, M = 3000 };

double a[N], b[M];
int at[M], next[M];

__attribute__((noinline)) void gather(int shift)
{
#pragma omp for schedule(static)
    for (int i = 0; i < M; i++)
        b[i] += a[at[(i + shift) % M]];
}

__attribute__((noinline)) void follow(double *sum)
{
#pragma omp for schedule(static)
    for (int list = 0; list < 30; list++) {
        double own = 0;
        for (int i = list * 100, n = 0; i >= 0 && n < 100; i = next[i], n++)
            own += b[i];
        sum[8 * list] += own;
    }
}

int main(void)
{
    static double sum[240];
    for (int i = 0; i < M; i++) {
        at[i] = (int)(i * 2654435761u >> 8) % N;
        next[i] = (i * 7 + 1) % M;
    }
    for (int time = 0; time < 8; time++) {
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (int i = 0; i < N; i++)
                a[i] += i;
            gather(time);
            follow(sum);
        }
    }
    printf("%g\n", sum[0] + b[7]);
    return 0;
}

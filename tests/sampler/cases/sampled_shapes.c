/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One region with a bit of everything: serial code between, replicated code, guards, collapsed and
 * non-rectangular loops, steps, sections, single and master, a function put in place. */
#include <omp.h>
#include <stdio.h>

enum { N = 60 };
static double a[N][N] __attribute__((aligned(64))), b[N][N] __attribute__((aligned(64))),
    v[N] __attribute__((aligned(64))), w[4 * N] __attribute__((aligned(64)));

static double at(int i, int j)
{
    return a[i][j];
}

static void many(int n)
{
    for (int t = 0; t < 3; t++) {
        v[t] += 1;
#pragma omp parallel
        {
            int me = omp_get_thread_num();
            if (me < 4)
                w[8 * me] += 1;
#pragma omp barrier
#pragma omp for
            for (int i = 0; i < n; i++)
                for (int j = 0; j < i; j++)
                    b[i][j] += at(j, i);
#pragma omp for collapse(2)
            for (int i = 0; i < n; i++)
                for (int j = i; j < n; j++)
                    a[i][j] = b[j][i] + 1;
#pragma omp single
            v[n - 1] = v[0] + 1;
#pragma omp master
            v[n - 2] += 2;
#pragma omp for schedule(static, 3)
            for (unsigned i = n; i > 0; i -= 1)
                if (i % 3 == 1)
                    w[i] += v[i - 1];
        }
    }
#pragma omp parallel for num_threads(2)
    for (double *p = w; p < w + N; p += 3)
        *p += 1;
}

int main(void)
{
    many(N);
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j] * (i + 2 * j) + b[i][j] + v[i] + w[i];
    printf("%.17g\n", sum);
    return 0;
}

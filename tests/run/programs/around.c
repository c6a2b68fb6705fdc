/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region that is described, with one nested in it whose addresses are data: what the
 * outer one does between two of these is not known.
 */
#include <stdio.h>

enum { N = 8000, M = 3000 };

static double a[N], b[8 * M];
static int next[M];

double look(void);

int main(void)
{
    double sum = 0;
    for (int i = 0; i < M; i++)
        next[i] = (i * 7 + 1) % M;
    for (int k = 0; k < 20; k++) {
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            a[i] *= 2;
        sum += look();
    }
    printf("%g\n", sum);
    return 0;
}

double look(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int l = 0; l < M; l++)
        sum += b[8 * next[l]];
    return sum;
}

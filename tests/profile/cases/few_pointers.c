/* SPDX-License-Identifier: GPL-3.0-or-later
 * Tables of two pointers, by a subscript that changes: the arrays are where each pointer says. */
#include <stdio.h>
#include <stdlib.h>
static double X[400], Y[900];
__attribute__((noinline)) void toggled(int n, double *u, double *v)
{
    double *w[2] = {u, v};
    for (int t = 0; t < 5; t++) {
#pragma omp parallel for num_threads(2)
        for (int i = 1; i < n - 1; i++)
            w[(t + 1) & 1][i] = w[t & 1][i - 1] + w[t & 1][i + 1];
    }
}
struct grid {
    double *f[2];
    int n;
};
__attribute__((noinline)) void inside(struct grid *g)
{
    const int n = g->n;
    for (int t = 0; t < 4; t++) {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < n; i++)
            g->f[1 - t % 2][i] = g->f[t % 2][i] * 2;
    }
}
__attribute__((noinline)) void fixed(int n, double *u, double *v)
{
    double *w[2] = {u, v};
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        w[0][i] += w[1][i];
}
int main(void)
{
    struct grid g = {{Y + 7, X + 3}, 100};
    for (int i = 0; i < 400; i++)
        X[i] = Y[i] = i % 7;
    toggled(100, X, Y);
    inside(&g);
    fixed(100, X + 5, Y + 11);
    double s = 0;
    for (int i = 0; i < 400; i++)
        s += X[i] * i + Y[i];
    printf("%g\n", s);
    return 0;
}

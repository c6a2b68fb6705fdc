/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables and fields are not elements of arrays that are stored to, nor changed by functions that
 * cannot name them. */
#include <stdlib.h>
double measure(void);
int cols, rows;
struct grid {
    int n, *data;
};
static double *restrict a, *restrict b;
static int first, last;
static double z[1000];
static void set(int from)
{
    first = from;
}
void solve(void)
{
#pragma omp parallel for
    for (int j = 0; j < last - first; j++)
        z[j] = 1;
}
void global(int *src, int *dst)
{
    for (int t = 0; t < rows - 1; t++) {
#pragma omp parallel for
        for (int n = 0; n < cols; n++)
            dst[n] = src[n] + 1;
    }
}
void field(struct grid *g)
{
#pragma omp parallel for
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            g->data[i * g->n + j] = 1;
}
void timed(long n, int iterations)
{
    a = malloc(n * 8);
    b = malloc(n * 8);
    double t = 0;
#pragma omp parallel
    for (int it = 0; it <= iterations; it++) {
#pragma omp master
        t = measure();
#pragma omp for
        for (long j = 0; j < n; j++)
            a[j] += b[j];
    }
}
void called(void)
{
#pragma omp parallel
    {
#pragma omp for
        for (int j = 0; j < last - first; j++)
            z[j] = 1;
#pragma omp master
        solve();
#pragma omp for
        for (int j = 0; j < last - first; j++)
            z[j] = 2;
    }
}
void changed(int n)
{
    for (int i = 0; i < n; i++) {
        set(i);
#pragma omp parallel for
        for (int j = first; j < last; j++)
            z[j] = 3;
    }
}
void fields_alike(struct grid *g, struct grid *h, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < g->n; j++)
            h[j].n = 1;
}

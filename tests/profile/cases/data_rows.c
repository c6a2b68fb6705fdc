/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows whose places and lengths are data, fields that bound and index, conditions on data, elements
 * that are changed after they were read. On stderr the contents that the nests depend on: the
 * region, the array, the address that its subscripts count from, its numbers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int lo, hi;
} range;

static void csr(int n, int **index, const float *x, float *sum)
{
#pragma omp parallel for
    for (int u = 0; u < n; u++)
        for (int *v = index[u]; v < index[u + 1]; v++)
            sum[u] += x[*v];
}

static void spmv(int n, const char *count, double **values, int **columns, const double *x,
                 double *y)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0;
        const double *v = values[i];
        const int *c = columns[i];
        for (int j = 0; j < count[i]; j++)
            sum += v[j] * x[c[j]];
        y[i] = sum;
    }
}

static void neighbours(int n, int **nbr, const int *count, double *q)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            q[i] += count[nbr[i][j]];
}

static void ranges(int n, const range *r, double *q)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (r[i].lo != r[i].hi)
            for (int k = r[i].lo; k < r[i].hi; k++)
                q[k] += 1;
}

static void renumber(int n, int *el, const int *perm)
{
#pragma omp parallel for
    for (int e = 0; e < n; e++)
        el[e] = perm[el[e]];
}

enum { N = 20 };
static void say(const char *region, const char *array, size_t n, const int *numbers)
{
    fprintf(stderr, "%s %s 0", region, array);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, " %d", numbers[i]);
    fprintf(stderr, "\n");
}
static void say_base(const char *region, const char *array, const void *base)
{
    fprintf(stderr, "%s %s %ju\n", region, array, (uintmax_t)(uintptr_t)base);
}
/* Pointers, relative to the memory that they lead to. */
static void say_pointers(const char *region, const char *array, size_t n, void *pointers,
                         const void *base)
{
    fprintf(stderr, "%s %s 0", region, array);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, " %ju", (uintmax_t)(((uintptr_t *)pointers)[i] - (uintptr_t)base));
    fprintf(stderr, "\n");
}
static void say_rows(const char *region, const char *array, size_t n, const int *numbers)
{
    fprintf(stderr, "%s %s %ju", region, array, (uintmax_t)(uintptr_t)numbers);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, " %d", numbers[i]);
    fprintf(stderr, "\n");
}

int main(void)
{
    static float x[N], sum[N];
    static double xs[N], y[N], q[8 * N];
    static _Alignas(64) int data[8 * N], *index[N + 1], *columns[N], *nbr[N], el[N], perm[N],
        wide[N];
    static double *values[N];
    static char count[N];
    static range r[N];
    int m = 0;
    for (int i = 0; i < N; i++) {
        index[i] = data + m;
        m += i == 2 ? 0 : i % 7 + 1;
        columns[i] = data + (i * 5) % 100;
        values[i] = q + (i * 11) % 64;
        count[i] = wide[i] = 1 + i * 3 % 5;
        nbr[i] = data + 4 * i; /* one after another, as it is assumed */
        r[i] = (range){i, i + i % 3};
        el[i] = (i * 7) % N;
        perm[i] = (i * 3 + 1) % N;
    }
    index[N] = data + m;
    for (int k = 0; k < 8 * N; k++)
        data[k] = k * 13 % N;
    int lo[N], hi[N];
    for (int i = 0; i < N; i++)
        lo[i] = r[i].lo, hi[i] = r[i].hi;
    say_pointers("csr", "index", N + 1, index, data);
    say_rows("csr", "index[]", 8 * N, data);
    say("spmv", "count", N, wide);
    say_pointers("spmv", "values", N, values, q);
    say_base("spmv", "values[]", q);
    say_pointers("spmv", "columns", N, columns, data);
    say_rows("spmv", "columns[]", 8 * N, data);
    say("neighbours", "nbr[]", 4 * N, data);
    say("ranges", "r.lo", N, lo);
    say("ranges", "r.hi", N, hi);
    say("renumber", "el", N, el);
    csr(N, index, x, sum);
    spmv(N, count, values, columns, xs, y);
    neighbours(N, nbr, wide, q);
    ranges(N, r, q);
    renumber(N, el, perm);
    printf("%d %g\n", el[3], y[4]);
    return 0;
}

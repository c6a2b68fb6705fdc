/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memset, memcpy and memmove are what they access. */
#include <string.h>
typedef struct {
    double x, y;
    int k;
} point;
void rows(int n, int m, double (*a)[1000], const double *b, point *p)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        memset(a[i], 0, sizeof a[i]);
        memcpy(a[i] + 2, b, m * sizeof *b);
        memmove(a[i], a[i] + 1, (m - 1) * sizeof a[0][0]);
        memset(p + 4 * i, 0, 4 * sizeof *p);
    }
}
void *bytes(int n, char *to, const void *from, int *k, const long *e, double *d)
{
    void *end = to;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        memcpy(to + 16 * i, (const char *)from + 16 * i, 16);
        memset(k + 2 * i, 1, 7); /* part of an element */
        memcpy(to + i, from, n); /* by number of bytes */
        memcpy(d + i, e + i, 8); /* one element */
    }
#pragma omp parallel
    {
        double own[8];
        memset(own, 0, sizeof own);
#pragma omp for lastprivate(end)
        for (int i = 0; i < n; i++) {
            end = memcpy(d + 8 * i, own, sizeof own);
            d[i] = i;
        }
    }
    return end;
}
/* What the elements are is said where they are used. */
struct cells {
    int n;
    void *data, *mixed;
};
void cleared(int times, int n, struct cells *c, double *sum)
{
    for (int t = 0; t < times; t++) {
        memset(c->data, 0, n * sizeof(double));
        memset(c->mixed, 0, n * sizeof(double));
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            sum[i] = ((double *)c->data)[i] + ((long *)c->mixed)[i] + ((int *)c->mixed)[i];
    }
}
/* A row of a size that is known when the program runs. */
void rows_of_bytes(int n, int size, const char *from)
{
    char rows[n][size];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        memcpy(rows[i], from + i * size, size - 1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways that leave a function early, before, between and after its parallel loops, cost none of
 * them. What no way leads to has a note. */
#include <stdlib.h>
int returns(int n, double *x)
{
    double *a = malloc(n * sizeof *a);
    if (!a)
        return -1;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = a[i] = i;
    free(a);
    return 0;
}
int jumps(int n, double *x, int mode)
{
    int err = 0;
    double *a = NULL, *b = NULL;
    if (mode < 0) {
        err = 3;
        goto fail;
    }
    a = malloc(n * sizeof *a);
    if (a == NULL) {
        err = 1;
        goto fail;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = i;
    b = malloc(n * sizeof *b);
    if (b == NULL) {
        err = 2;
        goto fail;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = b[i] + a[i];
fail:
    free(b);
    free(a);
    return err;
}
struct v {
    double *d;
    int n;
};
int make(struct v *p, int n)
{
    if (p->d)
        return -2;
    p->d = malloc(n * sizeof(double));
    if (!p->d)
        return -1;
    p->n = n;
    return 0;
}
int ends_program(int n, double *x)
{
    struct v w;
    w.d = 0;
    int s = make(&w, n);
    if (s)
        return s;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = w.d[i];
    if (x[0] > 3)
        exit(1);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] += w.d[i];
    if (n > 9)
        abort();
    free(w.d);
    return 0;
}
int has_status(int n, double *x)
{
    struct v w = {0, 0};
    int s;
    if (w.d)
        s = 5014;
    else {
        w.d = malloc(n * sizeof(double));
        s = w.d ? 0 : 5014;
    }
    if (s)
        return s;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = w.d[i];
    return 0;
}
int never(int n, double *x)
{
    const int debug = 0;
    if (debug) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[i] = 0;
    }
    return n;
}

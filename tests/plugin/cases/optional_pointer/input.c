/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers that may be null on purpose: nothing behind either answer is dropped. Memory that was
 * allocated here is there. */
#include <stdlib.h>

struct matrix {
    double *x;
    int *p;
};

void by_kind(int n, struct matrix *m, double *mask)
{
    if (m->p == NULL) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            m->x[i] = 0;
    } else {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            m->x[i] = m->p[i];
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (mask)
            mask[i] = 1;
}

int allocated(int n)
{
    double *a = malloc(n * sizeof *a);
    if (!a)
        return 1;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 0;
    free(a);
    return 0;
}

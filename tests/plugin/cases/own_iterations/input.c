/* SPDX-License-Identifier: GPL-3.0-or-later
 * Values that each thread makes by the part of the work that it does: they differ from thread to
 * thread, and in a sequential run they are none of them. */
#include <omp.h>
int x[1000], y[100], z[100];

void by_loop(int n)
{
#pragma omp parallel
    {
        int h = omp_get_num_threads();
#pragma omp for schedule(static, 2)
        for (int i = 0; i < n; i++) {
            x[h + i] = 1;
            h += 2;
        }
        y[h] = 1;
#pragma omp for
        for (int i = 0; i < n; i++) {
            h = i;
            z[h] = 1;
        }
        z[h] = 2;
    }
}

void by_construct(int n)
{
#pragma omp parallel
    {
        int h = 1, g = 2, f = 3, e = 4;
#pragma omp single
        {
            h += n;
            x[h] = 1;
        }
        x[h] = 2;
#pragma omp master
        g += n;
        y[g] = 1;
#pragma omp sections
        {
#pragma omp section
            f += n;
#pragma omp section
            f += 2;
        }
        z[f] = 1;
#pragma omp single copyprivate(e)
        e += n;
        x[e] = 3;
    }
}

/* These are as in a sequential run. */
void in_order(int n)
{
    int q = 0;
#pragma omp parallel for linear(q : 2)
    for (int i = 0; i < n; i++) {
        z[q] = 1;
        q += 2;
    }
    z[q] = 2;
#pragma omp parallel for lastprivate(q)
    for (int i = 0; i < n; i++)
        q = 3 * i;
#pragma omp parallel for
    for (int i = 0; i < q; i++)
        z[i] = 4;
}

void orphaned(int n)
{
    int q = 0;
#pragma omp for
    for (int i = 0; i < n; i++)
        z[q++] = 1;
}

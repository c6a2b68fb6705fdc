/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers in memory that a loop around parallel regions exchanges: global and static variables, fields, elements of a table, by
   a function that takes their addresses. */
#include <stdlib.h>
double *a, *b;
static double *sa, *sb;
struct waves { double *past, *now, *next; int n; } w;
static void swap(double **p, double **q)
{
    double *t = *p;
    *p = *q;
    *q = t;
}
void globals(int n, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + a[i + 1];
        double *x = a;
        a = b;
        b = x;
    }
}
void statics(int n, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            sb[i] = sa[i - 1] + sa[i + 1];
        swap(&sa, &sb);
    }
}
void three_fields(struct waves *s, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < s->n - 1; i++)
            s->next[i] = 2 * s->now[i] - s->past[i];
        double *x = s->past;
        s->past = s->now;
        s->now = s->next;
        s->next = x;
    }
}
void global_fields(int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < w.n - 1; i++)
            w.next[i] = w.now[i - 1];
        swap(&w.next, &w.now);
    }
}
void elements(double **m, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            m[1][i] = m[0][i - 1];
        swap(&m[0], &m[1]);
    }
}
/* What begins anew in the function itself. */
void allocated(int n, int steps)
{
    a = malloc(n * sizeof *a);
    b = malloc(n * sizeof *b);
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i;
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i + 1];
        swap(&a, &b);
    }
    free(a);
    free(b);
    a = b = NULL;
}
void elsewhere(double **);
/* Not described: a function elsewhere may change them, too. */
void changed_elsewhere(int n, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i + 1];
        swap(&a, &b);
        elsewhere(&a);
    }
}

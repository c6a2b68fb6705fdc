/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds in memory that a call or a store in the parallel loop might change: with other iterations it would race. */
struct sizes {
    int n;
    double *x;
    struct sizes *next;
};
double get(struct sizes *s, int i);

void bound_of_all(struct sizes *s, double *restrict y, int m)
{
#pragma omp parallel for
    for (int i = 0; i < m; i++)
        for (int j = 0; j < s->n; j++)
            y[i * m + j] = get(s, j);
}

void store_of_all(struct sizes *s, struct sizes *t, int m)
{
#pragma omp parallel for
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < s->next->n; j++)
            s->next->x[j + 100 * i] = j;
        t[i].n = i;
    }
}

/* not these: an object of each iteration, a store to the place itself, no worksharing loop */
void bound_of_each(int m)
{
#pragma omp parallel for
    for (int i = 0; i < m; i++) {
        struct sizes own;
        get(&own, i);
        for (int j = 0; j < own.n; j++)
            own.x[j] = get(&own, j);
    }
}

void one_iteration(struct sizes *s, int m)
{
#pragma omp parallel for
    for (int i = 0; i < m; i++)
        if (i == 3)
            for (int j = 0; j < s->n; j++)
                s->n--;
}

void in_region(struct sizes *s, double *restrict y, int m)
{
#pragma omp parallel
    for (int i = 0; i < m; i++) {
#pragma omp for
        for (int j = 0; j < s->n; j++)
            y[j] += i;
#pragma omp single
        y[0] = get(s, 0);
    }
}

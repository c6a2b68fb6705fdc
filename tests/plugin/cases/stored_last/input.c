/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number in memory that is what was stored last; or may be something else. */
int omp_get_thread_num(void);
long time(long *);
struct grid {
    long n;
    double *x;
};
void use(struct grid *);

void serial(struct grid *g, int m)
{
    for (int k = 0; k < m; k++) {
        g->n = 100 * k;
#pragma omp parallel for
        for (long i = 0; i < g->n; i++)
            g->x[i] = k;
    }
}

void between(struct grid *g, int m, long *other)
{
    for (int k = 0; k < m; k++) {
        g->n = 100;
        *other = k;
#pragma omp parallel for
        for (long i = 0; i < g->n; i++)
            g->x[i] = k;
    }
}

void some(struct grid *g, int m)
{
    for (int k = 0; k < m; k++) {
        if (k > 3)
            g->n = 100;
#pragma omp parallel for
        for (long i = 0; i < g->n; i++)
            g->x[i] = k;
    }
}

void called(struct grid *g, int m)
{
    for (int k = 0; k < m; k++) {
        g->n = 100;
        use(g);
#pragma omp parallel for
        for (long i = 0; i < g->n; i++)
            g->x[i] = k;
    }
}

/* Each thread stores; what another one stored may be there when it loads. */
void team(struct grid *g, int m, int *x)
{
#pragma omp parallel
    for (int k = 0; k < m; k++) {
#pragma omp critical
        g->n = k + omp_get_thread_num();
#pragma omp barrier
#pragma omp for
        for (long i = 0; i < g->n; i++)
            g->x[i] = k;
    }
}

struct flags {
    unsigned low : 4, high : 4;
};

void bits(struct flags *f, struct grid *g, int m)
{
    for (int k = 0; k < m; k++) {
        f->low = k;
        f->high = 3;
#pragma omp parallel for
        for (long i = 0; i < f->low; i++)
            g->x[i] = k;
    }
}

void set_by_call(double *x, int m)
{
    for (int k = 0; k < m; k++) {
        long now = 0;
        time(&now);
#pragma omp parallel for
        for (long i = 0; i < now; i++)
            x[i] = k;
    }
}

/* What is stored behind the loop is what its next run finds. */
void around(struct grid *g, int m)
{
    for (int k = 0; k < m; k++) {
        g->n = 100;
        for (int j = 0; j < m; j++) {
#pragma omp parallel for
            for (long i = 0; i < g->n; i++)
                g->x[i] = k;
            g->n = j;
        }
    }
}

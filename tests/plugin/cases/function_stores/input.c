/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What functions of the unit store, which cannot be put in line: by argument and by type. */
struct grid {
    int n, m;
    double *data;
};

static int depth;

/* Stores doubles through its second argument, and where a loaded pointer leads. */
static void relax(struct grid *g, double *x, const int *order, int k, ...)
{
    double *to = g->data;
    if (k == 0)
        return;
    x += k;
    *x = to[k];
    to[order[k]] = 0;
    depth = k;
    relax(g, x + 1, order, k - 1);
}

/* Stores an int through its argument. */
static void renumber(int *order, int k, ...)
{
    if (k == 0)
        return;
    order[k] = k;
    renumber(order, k - 1);
}

void steps(struct grid *g, double *x, int *order, int *limit, int times)
{
    for (int t = 0; t < times; t++) {
#pragma omp parallel for
        for (int i = 0; i < g->n; i++)
            for (int j = 0; j < g->m; j++)
                x[i * g->m + j] += 1;
        relax(g, x, order, 9); /* neither g->n nor g->m nor order are changed */
    }
    for (int t = 0; t < times; t++) {
        renumber(order, 9); /* may be *limit */
#pragma omp parallel for
        for (int i = 0; i < *limit; i++)
            x[i] = 0;
    }
}

static int bound;
int *where;

static void set_bound(int *p, int k, ...)
{
    if (k == 0)
        return;
    *p = k;
    set_bound(&bound, k - 1);
}

void bounds(double *x, int times)
{
    int own;
    for (int t = 0; t < times; t++) {
        set_bound(&own, 5); /* changes `bound', through an argument of the inner call */
#pragma omp parallel for
        for (int i = 0; i < bound; i++)
            x[i] = 0;
#pragma omp parallel for
        for (int i = 0; i < depth; i++)
            x[i] = 1;
    }
}

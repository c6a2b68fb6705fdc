/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Grids of a hierarchy, the coarsest of which has no inner points: its runs do not load what the
 * inner loop needs. A second part of a region is executed in some of its runs.
 */
#include <stdio.h>
#include <stdlib.h>

struct extent {
    int n;
};

struct grid {
    int nx;
    const struct extent *y;
    double *u, *v;
};

struct list {
    int n, width;
    double *of;
};

static void smooth(struct grid *g)
{
#pragma omp parallel for
    for (int i = 1; i < g->nx - 1; i++)
        for (int j = 1; j < g->y->n - 1; j++)
            g->v[i * g->y->n + j] = g->u[(i - 1) * g->y->n + j] + g->u[(i + 1) * g->y->n + j];
}

static void sum(struct grid *g, struct list *rows)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < g->nx; i++)
            g->v[i] = g->u[i];
        if (rows) {
#pragma omp for
            for (int i = 0; i < rows->n; i++)
                for (int j = 0; j < rows->width; j++)
                    rows->of[i * rows->width + j] += g->u[i];
        }
    }
}

int main(void)
{
    struct list rows = {20, 30, calloc(600, sizeof(double))};
    for (int n = 32; n >= 2; n /= 4) {
        const struct extent height = {n + 1};
        struct grid g = {n, &height, calloc((size_t)n * (n + 1), sizeof *g.u),
                         calloc((size_t)n * (n + 1), sizeof *g.v)};
        smooth(&g);
        sum(&g, n == 32 ? &rows : NULL);
        printf("%g\n", g.v[n - 1] + rows.of[0]);
        free(g.u);
        free(g.v);
    }
    free(rows.of);
    return 0;
}

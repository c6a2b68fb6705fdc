/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that are known late: computed between the loops, loaded inside. */
#include <stdio.h>
#include <stdlib.h>

struct grid {
    int rows, columns;
    double *cell;
};

static double sum(struct grid *g, int times)
{
    double *scratch = malloc(64 * sizeof *scratch);
    for (int t = 0; t < times; t++) {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < g->rows; i++)
            for (int j = 0; j < g->columns; j++)
                g->cell[i * g->columns + j] += 1;
    }
    int half = atoi("24");
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < half; i++)
        scratch[i] = g->cell[i];
    double s = scratch[half - 1];
    free(scratch);
    return s;
}

int main(void)
{
    struct grid g = {6, 10, calloc(60, sizeof *g.cell)};
    printf("%g\n", sum(&g, 3));
    free(g.cell);
    return 0;
}

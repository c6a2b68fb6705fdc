/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that call another unit's functions. */
#include <stdio.h>
#include <stdlib.h>
#include "sheet.h"

static void copy(struct grid *to, const struct grid *from)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < to->rows; i++)
        for (int j = 0; j < to->columns; j++)
            grid_set(to, i, j, grid_get(from, i, j));
}

static void smooth(double (*restrict out)[64], double (*restrict in)[64], int n)
{
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++)
        smooth_row(out[i], in[i], 64);
}

static double points(struct point *all, int n, double *energies)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        move_point(&all[i], 0.5);
        energies[clamp(i - 2, n)] = energy(all[clamp(i + 1, n)]);
        sum += energies[i];
    }
    return sum;
}

/* A function that changes nothing of this is called between the regions. */
static void steps(double *restrict a, const double *restrict b, int times)
{
    for (int t = 0; t < times; t++) {
#pragma omp parallel for
        for (int i = halo; i < 100; i++)
            a[i] = b[i];
        note_step(t);
#pragma omp parallel for
        for (int i = halo; i < 100; i++)
            a[i] += b[i + 1];
    }
}

/* This one changes the bound. */
static void growing(double *restrict a, int times)
{
    for (int t = 0; t < times; t++) {
#pragma omp parallel for
        for (int i = halo; i < 100; i++)
            a[i] = i;
        grow_halo();
    }
}

/* What calls itself stays a call; the rest of the loop is described. */
static void sums(double *restrict to, const double *restrict tree, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        to[i] = deep_sum(tree, i) + tree[i];
}

static void picks(double *restrict to, const double *restrict list, int n)
{
#pragma omp parallel for schedule(dynamic, 3)
    for (int i = 0; i < n; i++)
        to[i] = pick(list, i) + list[scaled(i)];
}

int main(void)
{
    enum { N = 64 };
    struct grid g = {N, N, calloc(N * N, sizeof(double)), 2}, h = {N, N, calloc(N * N, sizeof(double)), 1};
    struct point *p = calloc(100, sizeof *p);
    double *list = calloc(300, sizeof *list), *to = calloc(300, sizeof *to);
    copy(&g, &h);
    smooth((double (*)[64])g.cells, (double (*)[64])h.cells, N);
    const double sum = points(p, 100, list);
    steps(to, list, 3);
    growing(to, 2);
    sums(to, list, 100);
    picks(to, list, 100);
    printf("%g %g %g\n", sum, to[5], g.cells[70]);
    return 0;
}

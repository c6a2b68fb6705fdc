/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions that another unit's loops call. */
#include "sheet.h"

double weights[16];
int halo = 1;
static int steps_done;
static const int order[4] = {2, 0, 3, 1};

static inline int place(const struct grid *g, int i, int j)
{
    return i * g->columns + j;
}

double grid_get(const struct grid *g, int i, int j)
{
    return g->cells[place(g, i, j)];
}

void grid_set(struct grid *g, int i, int j, double v)
{
    g->cells[place(g, i, j)] = v * g->scale;
}

void smooth_row(double *restrict out, const double *restrict in, int n)
{
    for (int j = halo; j < n - halo; j++)
        out[j] = in[j - 1] + weights[j & 15] * in[j] + in[j + 1];
}

int clamp(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

double energy(struct point p)
{
    return p.x * p.x + p.y * p.y;
}

void move_point(struct point *p, double by)
{
    p->x += by;
    p->z = p->y - by;
}

void note_step(int step)
{
    steps_done = step;
}

void grow_halo(void)
{
    halo++;
}

double deep_sum(const double *tree, int n)
{
    return n < 1 ? 0 : tree[n] + deep_sum(tree, n / 2) + deep_sum(tree, n / 3);
}

double pick(const double *list, int which)
{
    switch (which % 3) {
    case 0:
        return list[which];
    case 1:
        return list[2 * which];
    default:
        return list[0];
    }
}

int scaled(int i)
{
    return 3 * order[i & 3] + 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SHEET_H
#define SHEET_H
struct grid {
    int rows, columns;
    double *cells;
    double scale;
};
struct point {
    double x, y, z;
    int cell;
};
extern double weights[16];
extern int halo;
double grid_get(const struct grid *g, int i, int j);
void grid_set(struct grid *g, int i, int j, double v);
void smooth_row(double *restrict out, const double *restrict in, int n);
int clamp(int i, int n);
double energy(struct point p);
void move_point(struct point *p, double by);
void note_step(int step);
void grow_halo(void);
double deep_sum(const double *tree, int n);
double pick(const double *list, int which);
int scaled(int i);
#endif

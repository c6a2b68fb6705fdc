/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers to tables and structs change places, and with them the rows and arrays that these lead to. */
typedef struct { int n; double *u, **r; double v[64]; } grid;
void tables(double **a, double **b, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = a[i - 1][j] + a[i][j + 1];
        double **x = a;
        a = b;
        b = x;
    }
}
void structs(grid *a, grid *b, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < a->n - 1; i++) {
            b->u[i] = a->u[i - 1] + a->u[i + 1];
            b->r[i][0] = a->r[i][1];
        }
        grid *x = a;
        a = b;
        b = x;
    }
}
/* Not described: nothing refers to what the other one leads to, or it is of another form. */
void one_side(grid *a, grid *b, double *o, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < a->n - 1; i++)
            o[i] += a->u[i - 1];
        grid *x = a;
        a = b;
        b = x;
    }
}
void other_forms(double *a, double *b, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i] += a[i * n + j];
        double *x = a;
        a = b;
        b = x;
    }
}

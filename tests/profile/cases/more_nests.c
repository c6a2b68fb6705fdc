/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that are symbols, tables of tables, structs in structs, tests that GCC joins. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 12 };
static double a[N][N], b[N][N];
typedef struct {
    int x, y, z, number;
    long offset;
} link;
typedef struct {
    int x, y, z, number;
    long offset;
    int nn;
    link nei[3];
} cell;

static void tile(int bs)
{
#pragma omp parallel for collapse(2)
    for (int ii = 0; ii < N; ii += bs)
        for (int jj = 0; jj < N; jj += bs)
            for (int i = ii; i < (ii + bs < N ? ii + bs : N); i++)
                for (int j = jj; j < (jj + bs < N ? jj + bs : N); j++)
                    a[i][j] += b[j][i];
}

static void down(int from, int by)
{
#pragma omp parallel for
    for (int i = from; i > 0; i -= by)
        a[i][0] = b[0][i];
}

static void cube(int n, double ***u)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                u[i][j][k] += 1;
}

static void parts(int n, cell *c)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            c[i].nei[k].number = i;
            c[i].nei[k].offset++;
        }
}

static void corner(int n, double *to, const double *from)
{
#pragma omp parallel for
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            if (r == 0 && c == 0)
                to[0] = from[0];
            else if (r == 0)
                to[c] = from[c] + from[c - 1];
            else
                to[r * n + c] = from[r * n + c];
        }
}

int main(int argc, char **argv)
{
    int bs = argc > 1 ? atoi(argv[1]) : 5;
    tile(bs);
    down(N - 1, bs - 2);
    double *data = aligned_alloc(64, 64 * 64 * sizeof *data),
           **rows = aligned_alloc(64, 64 * sizeof *rows), ***u = calloc(7, sizeof *u);
    for (int i = 0; i < 7; i++) {
        u[i] = rows + i * 7;
        for (int j = 0; j < 7; j++)
            u[i][j] = data + (i * 7 + j) * 7;
    }
    for (int k = 0; k < 7 * 7 * 7; k++)
        data[k] = 0;
    cube(7, u);
    cell *c = calloc(9, sizeof *c);
    parts(9, c);
    corner(N, &a[0][0], &b[0][0]);
    printf("%g %g %d\n", a[3][4], data[5], c[4].nei[2].number);
    return 0;
}

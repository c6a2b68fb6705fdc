/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that are symbols: tiles, both directions, a size that is read or chosen once. */
#include <stdlib.h>
double a[512][512], b[512];
void tiles(int n, int bs)
{
#pragma omp parallel for collapse(2)
    for (int ii = 0; ii < n; ii += bs)
        for (int jj = 0; jj < n; jj += bs)
            for (int i = ii; i < (ii + bs < n ? ii + bs : n); i++)
                for (int j = jj; j < (jj + bs < n ? jj + bs : n); j++)
                    a[i][j] += 1;
}
void chosen(int argc, char **argv)
{
    int bs = argc > 1 ? atoi(argv[1]) : 32;
    int rows = atoi(argv[2]);
#pragma omp parallel for
    for (int ii = 0; ii <= rows; ii += bs)
        for (int i = ii; i < ii + bs; i++)
            b[i] = 1;
}
void down(long from, long to, unsigned by)
{
#pragma omp parallel for
    for (long i = from; i > to; i -= by)
        b[i] = 2;
}

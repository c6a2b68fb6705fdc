/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A function whose parallel loops are all described, within loops over levels that do more: a
 * function that they call follows a list, and tells whether there is more. The loops are regions of
 * their own, in sequence with what is between them. With -DMORE another loop of the function is not
 * described.
 */
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 6, ROWS = 70, COLUMNS = 50, BASINS = 4 };

static int *next;

/* The next level's, in the order of a list. Their number. */
__attribute__((noinline)) static int read_level(double *into, int level)
{
    int n = 0;
    for (int at = level; at >= 0 && n < ROWS * COLUMNS; at = next[at], n++)
        into[at] = level + n;
    return n;
}

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : ROWS;
    double(*velocity)[COLUMNS] = malloc(ROWS * sizeof *velocity);
    double(*area)[ROWS][COLUMNS] = malloc(LEVELS * sizeof *area);
    int(*mask)[ROWS][COLUMNS] = malloc(BASINS * sizeof *mask);
    double(*sum)[LEVELS][ROWS] = calloc(BASINS, sizeof *sum);
    next = malloc(ROWS * COLUMNS * sizeof *next);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        next[i] = (i * 2003 + 11) % (ROWS * COLUMNS);
        area[i % LEVELS][i / COLUMNS][i % COLUMNS] = 1;
        mask[i % BASINS][i / COLUMNS][i % COLUMNS] = i % 3;
    }
    for (int level = 0; level < LEVELS - 1; level++) {
        if (read_level(velocity[0], level) < COLUMNS)
            break;
        for (int basin = 0; basin < BASINS; basin++) {
#pragma omp parallel for schedule(static)
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[basin][level][i] -=
                        area[level][i][j] * mask[basin][i][j] * velocity[i][j];
        }
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; i++)
        for (int level = LEVELS - 2; level >= 0; level--)
            for (int basin = 0; basin < BASINS; basin++)
                sum[basin][level][i] += sum[basin][level + 1][i] / 2;
    double all = 0;
#ifdef MORE
#pragma omp parallel for schedule(static) reduction(+ : all)
    for (int i = 0; i < ROWS; i++)
        for (int at = i, n = 0; at >= 0 && n < COLUMNS; at = next[at], n++)
            all += velocity[at / COLUMNS][at % COLUMNS];
#endif
    for (int i = 0; i < BASINS; i++)
        all += sum[i][0][i];
    printf("%g\n", all);
    return 0;
}

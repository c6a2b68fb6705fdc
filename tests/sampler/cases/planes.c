/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of three dimensions whose extents are the function's arguments: their rows' sizes are
 * values that the function computes at its start. */
#include <stdio.h>

enum { PLANES = 12, ROWS = 5, COLUMNS = 40 };
static short a[PLANES][ROWS][COLUMNS] __attribute__((aligned(64)));
static double b[PLANES][COLUMNS][ROWS] __attribute__((aligned(64)));

static void turn(int planes, int rows, int columns, short from[][rows][columns],
                 double to[][columns][rows])
{
#pragma omp parallel for
    for (int p = 1; p < planes; p++)
        for (int c = 0; c < columns; c++)
            to[p][c][p % rows] += from[p - 1][c % rows][columns - 1 - c];
}

static double inside(int planes, int rows, int columns, short from[][rows][columns])
{
    double sum = 0;
#pragma omp for schedule(static, 2)
    for (int p = 0; p < planes; p++)
        for (int c = 0; c < columns; c++)
            sum += from[p][p % rows][c];
    return sum;
}

int main(void)
{
    double sum = 0;
    for (int p = 0; p < PLANES; p++)
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++)
                a[p][r][c] = p * 100 + r * 10 + c;
    turn(PLANES, ROWS, COLUMNS, a, b);
#pragma omp parallel reduction(+ : sum)
    sum += inside(PLANES, ROWS, COLUMNS, a);
    for (int p = 0; p < PLANES; p++)
        for (int c = 0; c < COLUMNS; c++)
            sum += b[p][c][p % ROWS] * (p + c);
    printf("%.17g\n", sum);
    return 0;
}

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The temperature of a plate whose upper edge is hot: Jacobi iterations until it hardly changes. plate [N [STEPS]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void set_edges(int n, double t[n][n], double u[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            t[i][j] = u[i][j] = i == 0 ? 100 : 0;
}

static void step(int n, double t[n][n], double u[n][n])
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            u[i][j] = 0.25 * (t[i - 1][j] + t[i + 1][j] + t[i][j - 1] + t[i][j + 1]);
}

static double largest_change(int n, double t[n][n], double u[n][n])
{
    double most = 0;
#pragma omp parallel for reduction(max : most)
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            most = fmax(most, fabs(t[i][j] - u[i][j]));
    return most;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200, steps = argc > 2 ? atoi(argv[2]) : 20;
    if (n < 3 || n > 20000)
        return 1;
    double(*t)[n] = malloc(sizeof *t * (size_t)n), (*u)[n] = malloc(sizeof *u * (size_t)n);
    if (!t || !u)
        return 1;
    set_edges(n, t, u);
    double change = 1;
    for (int s = 0; s < steps && change > 0.01; s += 2) {
        step(n, t, u);
        step(n, u, t);
        change = largest_change(n, t, u);
    }
    printf("%g %g\n", t[1][n / 2], change);
    free(t);
    free(u);
    return 0;
}

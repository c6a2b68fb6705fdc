/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Code without OpenMP, with one loop that would be parallel: 3 (n - 2)^2 accesses a call, 3 calls.
 */
#include <stdio.h>
#include <stdlib.h>
static void sweep(int n, double *a, const double *b)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            a[i * n + j] = b[(i - 1) * n + j] + b[(i + 1) * n + j];
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    double *a = calloc((size_t)n * n, 8), *b = calloc((size_t)n * n, 8);
    for (int t = 0; t < 3; t++)
        sweep(n, a, b);
    printf("%g\n", a[n + 1]);
}

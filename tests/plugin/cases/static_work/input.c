/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static functions with OpenMP constructs of their own, called in a parallel region: before and after them in the unit. */
static double total;

static void scale(int n, double *x, double by)
{
#pragma omp for schedule(static, 8)
    for (int i = 0; i < n; i++)
        x[i] *= by;
}

static void add(double what)
{
#pragma omp atomic
    total += what;
}

static void later(int n, double *x);

void all(int n, double *x, double *y)
{
    scale(n, x, 3); /* by a team of one, and its own region */
#pragma omp parallel
    {
        scale(n, x, 2);
        later(n, y);
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            add(x[i] * y[i]);
    }
}

static void later(int n, double *x)
{
#pragma omp master
    {
#pragma omp parallel for
        for (int k = 1; k < n; k++)
            x[k] = x[0];
    }
#pragma omp barrier
}

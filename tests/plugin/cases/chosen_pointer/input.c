/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointers that a condition chooses before the loop: two places of one array, one array or another,
 * an array or none. */
extern double *work(int n);

void two_places(int n, int upper, double *a)
{
    double *p = upper ? a + n : a;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        p[i] = 1;
}

void two_arrays(int n, double *x, double *y)
{
    double *from = x;
    if (x == y)
        from = work(n);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        y[i] += from[i];
}

void perhaps(int n, int wanted, double *x, double *log)
{
    double *p = 0;
    if (wanted)
        p = log;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        if (wanted)
            p[i] = x[i];
    }
}

void index(int n, int iso, const double *x, double *y)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        y[i] = x[iso ? 0 : i];
}

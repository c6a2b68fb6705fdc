/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that are left in the midst, by a condition on data: their counters are known in each
   iteration, and what comes after the exit is executed once less, if that was the way out. */
void converge(int n, int most, double a[][200], double *e)
{
    for (int it = 0; it < most; it++) {
        double err = 0;
#pragma omp parallel for reduction(+ : err)
        for (int i = 0; i < n; i++)
            err += a[it][i];
        if (it > 2) {
#pragma omp parallel for
            for (int i = it; i < n; i++)
                a[it - 1][i] += 1;
        }
        if (err > 5000)
            break;
        e[it] = err;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[it][i] /= err;
    }
}
/* Not every iteration comes to the construct: the number of its executions does not say which one
 * it is. */
void skipping(int n, int most, double a[][200], const double *e)
{
    for (int it = 0; it < most; it++) {
        if (e[it] > 1)
            continue;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[it][i] += 1;
        if (a[it][0] > 10)
            break;
    }
}

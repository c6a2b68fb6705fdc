/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A branch on data that touches no memory needs no description. */
double largest(int n, double *a)
{
    double most = 0;
#pragma omp parallel for reduction(max : most)
    for (int i = 0; i < n; i++) {
        double x = a[i];
        if (x < 0)
            x = -x;
        most = x > most ? x : most;
    }
    return most;
}

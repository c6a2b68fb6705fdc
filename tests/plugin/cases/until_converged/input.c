/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often the outer loop runs is found at run time: a symbol. */
void iterate(int n, double *a, double *b)
{
    double change;
    do {
        change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 1; i < n - 1; i++) {
            double x = a[i - 1] + a[i + 1];
            change += (x - b[i]) * (x - b[i]);
            b[i] = x;
        }
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    } while (change > 1e-9);
}

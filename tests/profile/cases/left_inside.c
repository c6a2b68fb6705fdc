/* SPDX-License-Identifier: GPL-3.0-or-later
 * Loops over time steps that are left within a branch: what comes after it is executed in all
 * iterations but the last. */
#include <stdio.h>
static double x[300], y[500];
static void ever(int n, double *a, double *b)
{
    for (int it = 0;; it++) {
        double change = 0;
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + a[i + 1]) / 4;
        if (it % 3 == 2) {
#pragma omp parallel for reduction(+ : change)
            for (int i = 0; i < n; i++)
                change += b[i] * b[i];
            if (change < 1e-3)
                break;
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                b[i] *= .5;
        }
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
}
static int limited(int n, double *a, double *b, int most)
{
    int it;
    for (it = 0; it < most; it++) {
        double change = 0;
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + a[i + 1]) / 4;
        if (it % 3 == 2) {
#pragma omp parallel for reduction(+ : change)
            for (int i = 0; i < n; i++)
                change += b[i] * b[i];
            if (change < 1e-3)
                break;
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                b[i] *= .5;
        }
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
    return it;
}
static int last(int n, double *a, double *b, int most)
{
    int it;
    for (it = 0; it < most; it++) {
        double change = 0;
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i] = (a[i - 1] + a[i + 1]) / 4;
        if (it % 3 == 2) {
#pragma omp parallel for reduction(+ : change)
            for (int i = 0; i < n; i++)
                change += b[i] * b[i];
            if (change < 1e-3)
                break;
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                b[i] *= .5;
        } else {
            if (it == 1)
                break;
#pragma omp parallel for
            for (int i = 0; i < n - 40; i++)
                b[i] *= .5;
        }
    }
    return it;
}
static int both(int n, double *a, double *b, int most)
{
    int it;
    for (it = 0; it < most; it++) {
        double change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i + 1]) / 4;
            change += b[i] * b[i];
        }
        if (it > 5 && change < 1e-3)
            break;
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
    return it;
}
static int deep(int n, double *a, double *b, int most)
{
    int it = 0;
    for (;;) {
        double change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i + 1]) / 4;
            change += b[i] * b[i];
        }
        it++;
        if (it % 2 == 0) {
            if (it % 4 == 0) {
                if (change < 1e-3 || it > most)
                    break;
#pragma omp parallel for
                for (int i = 1; i < n - 1; i++)
                    b[i] = a[i] + 1;
            }
#pragma omp parallel for
            for (int i = 1; i < n - 2; i++)
                b[i] = a[i];
        }
#pragma omp parallel for
        for (int i = 1; i < n - 3; i++)
            a[i] = b[i] / 2;
    }
    return it;
}
static void start(void)
{
    for (int i = 0; i < 300; i++) {
        x[i] = i % 199 % 7;
        y[i] = 0;
    }
}
int main(void)
{
    start();
    ever(200, x, y);
    printf("%g\n", x[3]);
    static int (*const run[])(int, double *, double *, int) = {limited, last, both, deep};
    static const int most[] = {1, 4, 100};
    for (int k = 0; k < 12; k++) {
        start();
        printf("%d\n", run[k % 4](200, x, y, most[k / 4]));
    }
    return 0;
}

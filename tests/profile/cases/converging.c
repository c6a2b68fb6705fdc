/* SPDX-License-Identifier: GPL-3.0-or-later
 * Loops over time steps that end by a condition on data, or are tested at their end, and exchange
 * two pointers: which of the arrays is which afterwards. */
#include <stdio.h>

static double x[300], y[500];

static void until(int n, double *a, double *b)
{
    double change = 1;
    while (change > 1e-3) {
        change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i + 1]) / 4;
            change += b[i] * b[i];
        }
        double *t = a;
        a = b;
        b = t;
    }
#pragma omp parallel for schedule(static, 3)
    for (int i = 0; i < n; i++)
        a[i] += 1;
}

static int left(int n, double *a, double *b, int most)
{
    int it;
    for (it = 0; it < most; it++) {
        double change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i + 1]) / 4;
            change += b[i] * b[i];
        }
        if (change < 1e-3)
            break;
        double *t = a;
        a = b;
        b = t;
    }
#pragma omp parallel for schedule(static, 3)
    for (int i = 0; i < n; i++)
        a[i] += 1;
    return it;
}

static void endless(int n, double *a, double *b)
{
    for (;;) {
        double change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i + 1]) / 4;
            change += b[i] * b[i];
        }
        if (change < 1e-3)
            break;
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            a[i] = 0;
        double *t = a;
        a = b;
        b = t;
    }
#pragma omp parallel for schedule(static, 3)
    for (int i = 0; i < n; i++)
        a[i] += 1;
}

static void counted(int n, double *a, double *b, int most)
{
    int t = 0;
    do {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + a[i + 1];
        double *s = a;
        a = b;
        b = s;
        t++;
    } while (t < most);
#pragma omp parallel for schedule(static, 3)
    for (int i = 0; i < n; i++)
        a[i] += 1;
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
    until(200, x, y);
    printf("%g\n", x[3]);
    start();
    printf("%d\n", left(200, x, y, 100));
    start();
    printf("%d\n", left(200, x, y, 3));
    start();
    endless(200, x, y);
    start();
    counted(200, x, y, 3);
    printf("%g %g\n", x[3], y[3]);
    return 0;
}

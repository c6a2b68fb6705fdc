/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over time steps that end by a condition on data and exchange two pointers: at the
   beginning, in the midst, at the end; and one that is counted and tested at its end. The iteration
   that leaves the loop exchanges nothing. */
void until(int n, double *a, double *b)
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

int left(int n, double *a, double *b, int most)
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

void endless(int n, double *a, double *b)
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

void counted(int n, double *a, double *b, int most)
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
/* Whether it is converged is not looked at in each iteration: which of the arrays is which afterwards, is not known. */
void seldom(int n, double *a, double *b, int most)
{
    for (int it = 0; it < most; it++) {
        double change = 0;
#pragma omp parallel for reduction(+ : change)
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i + 1]) / 4;
            change += b[i] * b[i];
        }
        if (it % 10 == 0)
            if (change < 1e-3)
                break;
        double *t = a;
        a = b;
        b = t;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] += 1;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Data sharing of what a reference stands for: every thread has its own object, not its own address.
void linear(double *a, int &at, int n)
{
#pragma omp parallel for linear(at : 3)
    for (int i = 0; i < n; i++) {
        a[at] = i;
        at += 3;
    }
}

void linear_short(double *a, short &at)
{
#pragma omp parallel for linear(at : 2) schedule(static, 4)
    for (int i = 10; i < 50; i++) {
        a[at] += 1;
        at += 2;
    }
}

void first(const double *a, double *b, long &shift, int n)
{
#pragma omp parallel for firstprivate(shift)
    for (int i = 0; i < n; i++)
        b[i] = a[i + shift];
}

void last(double *a, int &k, int n)
{
#pragma omp parallel for lastprivate(k)
    for (int i = 0; i < n; i++) {
        k = 2 * i + 1;
        a[k] = 0;
    }
}

void sum(const double *a, double &total, int n)
{
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; i++)
        total += a[i];
}

void own(double *a, int (&table)[8], int n)
{
#pragma omp parallel for private(table)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 8; j++)
            table[j] = i;
        a[i] = table[7];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
double a[1000], b[1000];

static void callee(int n)
{
#pragma omp for
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}

void loops(int n)
{
    double last = 0, sum = 0;
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) {
            a[i] = b[i];
#pragma omp cancel for
        }
#pragma omp for lastprivate(conditional : last)
        for (int i = 0; i < n; i++)
            if (b[i] > 0)
                last = b[i];
#pragma omp for simd
        for (int i = 0; i < n; i++)
            a[i] = b[i];
#pragma omp for reduction(task, + : sum)
        for (int i = 0; i < n; i++)
            sum += b[i];
        callee(n);
    }
    b[0] = last + sum;
}

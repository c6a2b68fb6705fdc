/* SPDX-License-Identifier: GPL-3.0-or-later */
double a[1000];

void all(int n, int c)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 1;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        a[i] = 2;
#pragma omp parallel for schedule(static, 7)
    for (int i = 0; i < n; i++)
        a[i] = 3;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++)
        a[i] = 4;
#pragma omp parallel for schedule(dynamic, 2 * c + 1)
    for (int i = 0; i < n; i++)
        a[i] = 5;
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < n; i++)
        a[i] = 6;
#pragma omp parallel for schedule(guided, c)
    for (int i = 0; i < n; i++)
        a[i] = 7;
#pragma omp parallel for schedule(auto)
    for (int i = 0; i < n; i++)
        a[i] = 8;
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; i++)
        a[i] = 9;
#pragma omp parallel for schedule(monotonic : dynamic, 4)
    for (int i = 0; i < n; i++)
        a[i] = 10;
#pragma omp parallel for schedule(nonmonotonic : guided, n / 8)
    for (int i = 0; i < n; i++)
        a[i] = 11;
#pragma omp parallel for schedule(simd : static, 16)
    for (int i = 0; i < n; i++)
        a[i] = 12;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 * Values that serial code finds before a region or between two: where a search stops, how many
 * elements are kept, a pointer, and how often a loop runs that is left in its midst. */
#include <stdio.h>

enum { N = 90 };
static int level[N], kept[N];
static double a[N + 1], b[2 * N], rows[N][200], sums[N];

static int find(int n, const int *l)
{
    int m = n - 1, sum = 0, low = 0;
    while (m > 0 && l[m] > 7)
        m--;
    for (int k = 0; k < n; k++)
        if (l[k] > 3)
            kept[sum++] = k;
    do
        low++;
    while (l[low] < 6);
    double *p = b;
    while (*p < 5)
        p++;
#pragma omp parallel for
    for (int j = m; j >= 1; j--)
        a[j] += 1;
#pragma omp parallel for schedule(static, 3)
    for (int j = 0; j < sum; j++)
        a[j] += kept[j] + p[j];
#pragma omp parallel for
    for (int j = low; j < n; j++)
        a[j] += p[j];
    return m + sum;
}

static int converge(int n, int most)
{
    int it;
    for (it = 0; it < most; it++) {
        double err = 0;
#pragma omp parallel for reduction(+ : err)
        for (int i = 0; i < n; i++) {
            rows[it][i] += i + it;
            err += rows[it][i];
        }
        if (it > 2) {
#pragma omp parallel for schedule(static, 3)
            for (int i = it; i < n; i++)
                rows[it - 1][i] += 1;
        }
        if (err > 5000)
            break;
        sums[it] = err;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            rows[it][i] /= 2;
        if (sums[it] < 0)
            break;
        sums[it] += 1;
    }
#pragma omp parallel for
    for (int i = 0; i < it; i++)
        sums[i] += 1;
    return it;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        level[i] = i * 7 % 11;
        rows[i][i] = i * 100;
    }
    level[N - 1] = 8;
    b[50] = 6;
    int found = find(N, level);
    printf("%d %d\n", found, converge(N, N));
    return 0;
}

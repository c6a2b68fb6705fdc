/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that serial code finds before a region, in ways that are not described: where a search
   stops, how many elements are kept, a hash, a pointer that is looked for. Each is a symbol, or an
   array of its own. */
static int kept[40];
void found(int n, const int *l, double *a, double *b)
{
    int m = n - 1, sum = 0;
    while (m > 0 && l[m] > 7)
        m--;
    for (int k = 0; k < n; k++)
        if (l[k] > 3)
            kept[sum++] = k;
    unsigned hash = (n * 2654435761u) >> 20;
    double *p = b;
    while (*p < 5)
        p++;
#pragma omp parallel for
    for (int j = m; j >= 1; j--)
        a[j] += 1;
#pragma omp parallel for
    for (int j = 0; j < sum; j++)
        a[j] += kept[j] + p[j];
#pragma omp parallel for
    for (unsigned j = 0; j < hash; j++)
        a[j] += 1;
    if (p)
#pragma omp parallel for
        for (int j = 0; j < n; j++)
            a[j] -= p[-j];
}

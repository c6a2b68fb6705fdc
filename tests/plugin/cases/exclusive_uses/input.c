/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index array that a call may change between two of its uses: that matters in both() alone,
 * where one run has both of them. */
void fill(int *row);

void either(int n, int way, const int *row, double *x)
{
    if (way) {
        fill((int *)row);
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[row[i]] += 1;
    } else {
        fill((int *)row + 1);
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[row[n - i]] += 2;
    }
}

void both(int n, int way, const int *row, double *x)
{
    if (way) {
        fill((int *)row);
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[row[i]] += 1;
    }
    fill((int *)row + 1);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[row[n - i]] += 2;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses and bounds that depend on data: rows of a sparse matrix, rows behind pointers, a branch
 * on an index, arrays on the stack and from the heap. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 80 };

static void spmv(int n, const int *row, const int *col, const double *value, const double *x,
                 double *y)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0;
        int end = row[i + 1];
        for (int k = row[i]; k < end; k++)
            sum += value[k] * x[col[k]];
        y[i] = sum;
    }
}

static void scatter(int n, const int *key, double **rows)
{
#pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < n; i++) {
        double local[8] __attribute__((aligned(64)));
        int k = key[i];
        for (int j = 0; j < 8; j++)
            local[j] = rows[i][j];
        if (k % 2)
            for (int j = 0; j < 8; j++)
                rows[i][j] += local[7 - j] * k;
    }
}

/* Tests that read: their last read is that of the way out. */
__attribute__((noinline)) static double tests(int n, const int *key, const double *x)
{
    double sum = 0;
#pragma omp parallel for schedule(static, 2) reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < key[i]; j++)
            sum += x[j];
        for (short j = key[i]; j > key[i / 2] - 3; j--)
            sum += x[j + 3];
        for (int j = 0; key[key[i]] > j; ++j)
            for (int k = 0; k <= key[j]; k++)
                sum += x[j + k];
        int j = 0;
        while (j < key[i] + key[n - 1])
            sum += x[j++];
    }
    return sum;
}

int main(void)
{
    static int row[N + 1] __attribute__((aligned(64))), key[N] __attribute__((aligned(64)));
    int *col = aligned_alloc(64, N * 8 * sizeof *col);
    double *value = aligned_alloc(64, N * 8 * sizeof *value);
    static double x[N] __attribute__((aligned(64))), y[N] __attribute__((aligned(64)));
    static double *rows[N] __attribute__((aligned(64)));
    unsigned seed = 1;
    row[0] = 0;
    for (int i = 0; i < N; i++) {
        seed = seed * 1103515245 + 12345;
        row[i + 1] = row[i] + (int)(seed >> 16) % 8;
        for (int k = row[i]; k < row[i + 1]; k++) {
            seed = seed * 1103515245 + 12345;
            col[k] = (int)(seed >> 16) % N;
            value[k] = k;
        }
        key[i] = (int)(seed >> 20) % 5;
        x[i] = i;
        rows[i] = aligned_alloc(64, 64);
        for (int j = 0; j < 8; j++)
            rows[i][j] = i + j;
    }
    spmv(N, row, col, value, x, y);
    scatter(N, key, rows);
    double sum = tests(N, key, x);
    for (int i = 0; i < N; i++)
        sum += y[i] + rows[i][3];
    printf("%.17g\n", sum);
    return 0;
}

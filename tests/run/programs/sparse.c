/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A product of a sparse matrix: what it reads is told by arrays alone.
 */
#include <stdio.h>

enum { N = 300, PER_ROW = 5 };
static int rowptr[N + 1], col[N * PER_ROW];
static double val[N * PER_ROW], x[N], y[N];

static void spmv(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = rowptr[i]; k < rowptr[i + 1]; k++)
            sum += val[k] * x[col[k]];
        y[i] = sum;
    }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < PER_ROW; k++) {
            col[i * PER_ROW + k] = (i * 7 + k * 61) % N;
            val[i * PER_ROW + k] = 1;
            x[i] = i;
        }
    for (int i = 0; i <= N; i++)
        rowptr[i] = i * PER_ROW;
    spmv(N);
    printf("%g\n", y[3]);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Pluto makes of a loop: floor divisions, minima and maxima. */
#define floord(n, d) (((n) < 0) ? -((-(n) + (d)-1) / (d)) : (n) / (d))
#define max(x, y) ((x) > (y) ? (x) : (y))
#define min(x, y) ((x) < (y) ? (x) : (y))

void gemm(int n, double A[n][n], double B[n][n], double C[n][n])
{
    int lb = 0, ub = floord(n - 1, 32), t1, t2, t3, t4, t5;
#pragma omp parallel for private(t2, t3, t4, t5)
    for (t1 = lb; t1 <= ub; t1++)
        for (t2 = 0; t2 <= floord(n - 1, 32); t2++)
            for (t3 = 32 * t1; t3 <= min(n - 1, 32 * t1 + 31); t3++)
                for (t4 = 32 * t2; t4 <= min(n - 1, 32 * t2 + 31); t4++)
                    for (t5 = 0; t5 <= n - 1; t5++)
                        C[t3][t4] += A[t3][t5] * B[t5][t4];
}

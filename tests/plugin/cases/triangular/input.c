/* SPDX-License-Identifier: GPL-3.0-or-later */
enum { N = 120 };
double L[N][N], U[N][N], x[N];

void solve(int n)
{
    for (int k = 0; k < n; k++) {
#pragma omp parallel for schedule(static, 2)
        for (int i = k + 1; i < n; i++) {
            for (int j = 0; j <= i; j++)
                L[i][j] -= L[k][j];
            for (int j = i; j < n; j++)
                U[i][j] = x[j];
        }
    }
}

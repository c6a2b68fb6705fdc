/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A compound assignment reads its left-hand side immediately before the write, whatever kind of
   array it is; a plain assignment reads from left to right. */
double s[10][10], t[10];

void orders(int n, double v[n][n], double *f, double **r, double *const *q)
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) {
        s[i][i] += t[i] * f[i];
        v[i][i] += t[i] * f[i];
        f[i] -= t[i] * s[i][0];
        r[i][i] *= t[i] + f[i];
        s[i][i] = s[i][i] + t[i];
        f[i] = f[i - 1] + f[i] + f[i + 1];
        t[i]++;
        ++f[i];
        v[i][0] = v[i][1] = q[i][2];
    }
}

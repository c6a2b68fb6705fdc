/* SPDX-License-Identifier: GPL-3.0-or-later */
float dot(int n, int m, float **rows, const float *x, float *y)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        const float *row = rows[i];
        float sum = 0;
        for (int j = 1; j <= m; j++)
            sum += row[j] * x[j];
        y[i] = sum;
    }
    return y[0];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three time levels change places. */
void wave(int steps, int n, float old[n][n], float now[n][n], float new[n][n])
{
    float(*a)[n] = old, (*b)[n] = now, (*c)[n] = new;
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                c[i][j] = 2 * b[i][j] - a[i][j] + b[i][j - 1];
        float(*s)[n] = a;
        a = b;
        b = c;
        c = s;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons of floating-point numbers that integers were converted to. */
double a[100][1000];
void constants(int n, long big)
{
    double seed = 42;
    if (0 != seed) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[0][i] = 0;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        const double x = 42 + i, y = big + i;
        if (0 != x) /* in every iteration */
            a[1][i] = 0;
        if (x < 50) /* i < 8 */
            a[2][i] = 0;
        if (x < 50.5) /* i < 9 */
            a[3][i] = 0;
        if (x >= 50.5) /* i >= 9 */
            a[4][i] = 0;
        if (x <= 50.5 && x > 45.25) /* i <= 8 && i > 3 */
            a[5][i] = 0;
        if (50.5 == x) /* never */
            a[6][i] = 0;
        if (!(x > 60)) /* not a number: there is none */
            a[7][i] = 0;
        if (y < 1e6) /* rounded, but in the order of the integers */
            a[8][i] = 0;
        if ((float)i < 8388607) /* the same */
            a[9][i] = 0;
        if (-3 < (double)(float)(i - 8))
            a[10][i] = 0;
        if (__builtin_isless (x, 60) || __builtin_isunordered (x, x)) /* i < 18 */
            a[11][i] = 0;
        if (__builtin_islessgreater (x, 44)) /* i != 2 */
            a[12][i] = 0;
    }
}
void pairs(int n, int m, unsigned u, unsigned v, short s)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if ((double)i < m)
            a[20][i] = 0;
        if ((double)i == u) /* as numbers, not as unsigned ones */
            a[21][i] = 0;
        if ((double)i < (double)(u - v)) /* modulo 2^32 */
            a[22][i] = 0;
        if ((float)s != (float)(short)n)
            a[23][i] = 0;
        a[24][(int)(double)i] = 0;
    }
}
void refused(int n, int m, long big, long more, double x)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if ((float)i < (float)m) /* 16777217 is 16777216 */
            a[30][i] = 0;
        if ((float)i < 16777216)
            a[31][i] = 0;
        if ((double)(big + i) < (double)more)
            a[32][i] = 0;
        if (x < i) /* x is any number */
            a[33][i] = 0;
        if (i < __builtin_inf ())
            a[34][i] = 0;
        a[35][(int)(float)i] = 0;
    }
}

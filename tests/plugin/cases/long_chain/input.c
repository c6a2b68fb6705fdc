/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chain of more branches than are followed costs itself, and not the function. */
#define E4(k) E1(k) E1(k + 1) E1(k + 2) E1(k + 3)
#define E16(k) E4(k) E4(k + 4) E4(k + 8) E4(k + 12)
#define E64(k) E16(k) E16(k + 16) E16(k + 32) E16(k + 48)
#define E512 E64(0) E64(64) E64(128) E64(192) E64(256) E64(320) E64(384) E64(448)
void serial(int n, const double *x, double *a)
{
    /* clang-format off */
#define E1(k) else if (x[k] > 0) a[k] = 0;
    if (n < 0)
        a[0] = 1;
    E512
    /* clang-format on */
#undef E1
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = x[i];
}
void inside(int n, int k, double *a, double *b)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        /* clang-format off */
#define E1(j) else if (k == j) a[i + j] = 0;
        if (k < 0)
            a[i] = 1;
        E512
        /* clang-format on */
        b[i] = 1;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two variables of one name, and keywords of the nest's language as names. */
double a[10][10];

void names(int n, double read[n], double *in)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double a[4];
        for (int barrier = 0; barrier < 4; barrier++)
            a[barrier] = in[i];
        read[i] = a[i % 4];
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int i2 = 2 * i;
        for (int i = 0; i < 3; i++)
            a[i][i] = read[i2];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A struct variable: its members are symbols and arrays. */
struct {
    int n;
    double *data;
    double w[3];
} s;

void scale(void)
{
#pragma omp parallel for
    for (int i = 0; i < s.n; i++)
        s.data[i] *= s.w[i % 3];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <complex.h>
double complex z[100];
float complex c[100][2];
struct pair {
    double complex p, q;
} s[100];

void numbers(int n, const double complex *w)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        z[i] = w[i] * z[i];
        c[i][1] = c[i][0];
        s[i].q = s[i].p;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        __real__ z[i] = __imag__ w[i];
}

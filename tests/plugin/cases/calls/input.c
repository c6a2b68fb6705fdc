/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mathematics touches no memory; what other functions do is not known. */
#include <math.h>
#include <stdio.h>

double opaque(double *);

void calls(int n, double *a)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = sqrt(fabs(a[i])) + pow(a[i], 1.5) + sin(a[i]);
        if (i == 7)
            printf("%g\n", a[i]);
        a[i] += opaque(&a[i]);
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several references in one place of the source: a macro's. */
#define SQUARE(x) ((x) * (x))
#define ADD(a, b) (a) += SQUARE(b)

void norm(int n, double *x, double *y)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        ADD(y[i], x[i]);
}

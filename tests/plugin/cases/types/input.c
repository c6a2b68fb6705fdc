/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of many sizes. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

void convert(size_t n, const char *c, const unsigned short *s, const int *i, const long *l,
             const __int128 *w, const float *f, const double *d, const long double *x,
             const float complex *fc, double complex *dc, _Bool *b, void **p)
{
#pragma omp parallel for
    for (size_t k = 0; k < n; k++) {
        dc[k] = c[k] + s[k] + i[k] + l[k] + (double)w[k] + f[k] + d[k] + (double)x[k];
        dc[k] += fc[k];
        b[k] = p[k] != NULL;
    }
}

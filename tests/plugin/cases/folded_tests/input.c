/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that GCC joins when it optimises: two of one element, two of fields side by side. */
struct cache { int class, space; long rows; short a, b; unsigned flag : 3, more : 5; };
void fold(int n, int *restrict k, double *restrict a, unsigned char *restrict c, struct cache *x,
          struct cache *y, struct cache *e)
{
    if (x->class == y->class && x->space == y->space && x->rows == y->rows) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] = 1;
    } else {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] = 2;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (k[i] > 0 && k[i] < 8)
            a[i] = 1;
        if (k[i] == 3 || k[i] == 4)
            a[i] = 2;
        else
            a[i + 1] = 3;
        c[i] = c[i] >= 1 && c[i] <= 8 ? c[i] | (1 << (c[i] - 1)) : c[i];
        if (x->a == 3 && x->b == 4)
            a[i] = 4;
        if (x->flag == 3 && x->more == 4)
            a[i] = 5;
        if (x->a == y->a && x->b == y->b)
            a[i] = 6;
        if (x->flag && x->more)
            a[i] = 7;
        if (x->class == 0 && x->space == 0)
            a[i] = 8;
        if (x->class < 0 || x->space < 0)
            a[i] = 9;
        if (!x->class && !x->space && n > i)
            a[i] = 10;
    }
}

int ready(int k), load(int k);
/* Whether calls succeed: GCC makes one test of two numbers. */
void joined(int n, double *restrict a)
{
    for (int k = 0; load(k); k++) {
        int size = ready(k), at = load(-k);
        if (size > 0 && at > 0 &&
            size > at) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                a[i] = 1;
        }
    }
    int size = ready(1), at = load(2);
    if (size > 3 || at < 7)
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] = 2;
}

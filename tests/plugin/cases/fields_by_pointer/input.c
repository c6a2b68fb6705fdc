/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds and arrays in a struct: symbols and arrays named after the fields. */
struct mesh {
    int n, m;
    double *a, *b;
};

void copy(struct mesh *s)
{
#pragma omp parallel for
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->m; j++)
            s->b[i * s->m + j] = s->a[i * s->m + j];
}

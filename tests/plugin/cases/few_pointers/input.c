/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a few pointers, by a subscript that changes: arrays that lie anywhere. Of more pointers they are rows. */
struct grid {
    double *f[2];
    int n;
};
void few(int n, double *u, double *v, struct grid *g, double *planes[3], double *many[16])
{
    double *w[2] = {u, v};
    for (int t = 0; t < 5; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            w[(t + 1) & 1][i] = w[t & 1][i - 1] + w[t & 1][i + 1];
#pragma omp parallel for
        for (int i = 0; i < g->n; i++)
            g->f[1 - t % 2][i] = g->f[t % 2][i] * 2;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            planes[k][i] += many[k][i];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a table of pointers whose length is data are where their pointers say; those of a known
 * length are taken to lie one after another, tables of tables too. */
typedef struct {
    int n;
    double *v;
} row;
void compressed(int n, int **index, const float *x, float *sum)
{
#pragma omp parallel for
    for (int u = 0; u < n; u++)
        for (int *v = index[u]; v < index[u + 1]; v++)
            sum[u] += x[*v];
}
void apart(int n, double **begin, double **end)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (double *p = begin[i]; p != end[i]; p++)
            *p = 0;
}
void in_structs(int n, const row *r, double *q)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < r[i].n; k++)
            q[i] += r[i].v[k];
}
void index_out_of_rows(int n, int **nbr, const int *count, double *q)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 27; j++)
            q[i] += count[nbr[i][j]];
}
void one_row(int r, const int *size, int **list, double *q)
{
#pragma omp parallel for
    for (int i = 0; i < size[r]; i++)
        q[list[r][i]] = i;
}
void four(double ****u, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < 9; k++)
                u[0][i][j][k] = u[1][i][j - 1][k + 1];
}
void changed_after(int n, int *el, const int *perm)
{
#pragma omp parallel for
    for (int e = 0; e < n; e++)
        el[e] = perm[el[e]];
}
void changed_before(int n, int *el, const int *perm)
{
#pragma omp parallel for
    for (int e = 0; e < n - 1; e++)
        el[e + 1] = perm[el[e]];
}

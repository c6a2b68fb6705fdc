/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pointer that two ways lead to has no place of its own: the note about it is the function's. */
void chosen(double **a, double **b, int c, int n)
{
    double **rows;
    if (c)
        rows = a;
    else
        rows = b;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rows[i][j] = 1;
}

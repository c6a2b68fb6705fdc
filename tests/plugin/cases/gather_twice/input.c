/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index read through an index; the compound assignment's subscripts are read once. */
int first[100], second[100];
double h[500];

void count(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        h[first[second[i]]] += 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of each thread or iteration that begin as zeros, with subscripts that are data. */
int key[1000], sum[16];
double out[1000];
void histogram(int n)
{
#pragma omp parallel
    {
        int own[16] = {0};
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            own[key[i] & 15]++;
#pragma omp critical
        for (int k = 0; k < 16; k++)
            sum[k] += own[k];
    }
}
void rows(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double m[4][8] = {{0}};
        for (int k = 0; k < 8; k++)
            m[key[i] & 3][k] += k;
        out[i] = m[1][i % 8];
    }
}

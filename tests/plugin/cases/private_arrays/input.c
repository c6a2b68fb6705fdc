/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of which every thread has one: declared inside, in a private clause, threadprivate. */
int bins[64];
#pragma omp threadprivate(bins)

void local(int n, int m, const double *a, double *b)
{
    double row[32];
#pragma omp parallel private(row)
    {
        double sum[16];
        double vla[m];
#pragma omp for
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 16; k++)
                sum[k] = row[2 * k] = a[16 * i + k];
            for (int k = 0; k < m; k++)
                vla[k] = k;
            b[i] = sum[0] + row[1] + vla[2];
            bins[i % 64]++;
        }
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scalars=all: variables that a register would hold are references of rank 0, in GIMPLE's order. The loop is that of figure 3 of
 * Razzak, Barai, Santhi and Badawy. */
int A[500][500], B[500][500];

void figure_3(int alpha)
{
#pragma omp parallel for
    for (int k = 0; k < 102; k++) {
        A[0][k] = alpha * A[0][k];
        B[0][k] = alpha;
    }
}

double sum(int n, int m, const double *x)
{
    double s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double t = x[i + j];
            if (i < j)
                s += t;
        }
    return s;
}

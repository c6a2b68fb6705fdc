/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * correlation: the matrix of correlation coefficients of m variables from n observations, data n x
 * m: column j is centred on its mean and divided by sqrt(n) times its standard deviation (1 where
 * that is next to nothing); then corr[i][j] = sum over k of data[k][i] data[k][j], and 1 on the
 * diagonal.
 *
 * Means and deviations are parallel over the variables j, the normalisation in place over the
 * observations i, the products over the rows i of the upper triangle of corr, each entry mirrored
 * to the lower one.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 3 innermost, m*(3 + 3*n) in all
 *   loop 2: 6 innermost, m*(3 + 6*n) in all
 *   loop 3: 6 innermost, 6*n*m in all
 *   loop 4: 4 innermost, m + m*(m - 1)/2*(3 + 4*n) in all
 */
#include "kernels.h"

void kernel_correlation(int m, int n, double data[n][m], double corr[m][m], double mean[m],
                        double stddev[m])
{
#pragma omp parallel for SCHEDULED
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= n;
    }
#pragma omp parallel for SCHEDULED
    for (int j = 0; j < m; j++) {
        stddev[j] = 0.0;
        for (int i = 0; i < n; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        double deviation = sqrt(stddev[j] / n);
        stddev[j] = deviation <= 1e-9 ? 1.0 : deviation;
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt(n) * stddev[j];
        }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < m; i++) {
        corr[i][i] = 1.0;
        for (int j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
}

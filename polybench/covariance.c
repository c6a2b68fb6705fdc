/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * covariance: the covariance matrix of m variables from n observations, data n x m: mean[j] the
 * mean of column j; cov[i][j] = sum over k of (data[k][i] - mean[i]) (data[k][j] - mean[j]), by n -
 * 1.
 *
 * The means are parallel over the variables j, the centring in place over the observations i, the
 * products over the rows i of the upper triangle of cov, each entry mirrored to the lower one.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 3 innermost, m*(3 + 3*n) in all
 *   loop 2: 3 innermost, 3*n*m in all
 *   loop 3: 4 innermost, m*(m + 1)/2*(5 + 4*n) in all
 */
#include "kernels.h"

void kernel_covariance(int m, int n, double data[n][m], double cov[m][m], double mean[m])
{
#pragma omp parallel for SCHEDULED
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= n;
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= n - 1.0;
            cov[j][i] = cov[i][j];
        }
}

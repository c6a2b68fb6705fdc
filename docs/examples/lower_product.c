/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A matrix product with the lower triangle of a matrix: later iterations have more to do.
 */
void multiply_lower(int n, const double l[n][n], const double x[n][n], double y[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            for (int j = 0; j < n; j++)
                y[i][j] += l[i][k] * x[k][j];
}

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A matrix transposed: one of the two is walked down its columns.
 */
void transpose(int n, const double a[n][n], double b[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] = a[j][i];
}

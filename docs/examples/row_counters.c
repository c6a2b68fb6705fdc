/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A counter for each row, side by side in memory, each written by another thread.
 */
void count(int n, int m, const int v[n][m], long counter[n])
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            counter[i] += v[i][j];
}

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Two loops over the same array, one after the other.
 */
void scale_and_add(long n, double *x, const double *y, double f)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] *= f;
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] += y[i];
}

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A scalar product: nothing is used again but the rest of a line.
 */
double dot(long n, const double *x, const double *y)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

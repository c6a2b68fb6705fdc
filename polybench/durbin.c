/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * durbin: the Yule-Walker system of order n by Durbin's recursion: y with T y = -r, T the symmetric
 * Toeplitz matrix with first row 1, r[0], ..., r[n-2].
 *
 * The orders k one after the other: alpha = -(r[k] + sum over i < k of r[k-1-i] y[i]) / beta is
 * serial (a sum, kept in order); then y[i] + alpha y[k-1-i] into z and back from z, each parallel
 * over i. Two short loops, since y is read from both ends.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   serial: n*(n - 1) + 2*n in all
 *   loop 1: 3 innermost, 3*n*(n - 1)/2 in all
 *   loop 2: 2 innermost, n*(n - 1) in all
 */
#include "kernels.h"

void kernel_durbin(int n, double r[n], double y[n], double z[n])
{
    double beta = 1.0;
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += r[k - 1 - i] * y[i];
        double alpha = -(r[k] + sum) / beta;
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - 1 - i];
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
        beta *= 1.0 - alpha * alpha;
    }
}

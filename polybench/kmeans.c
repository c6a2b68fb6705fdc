/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * kmeans: the assignment of n objects with nf features to the nearest of nc centres, steps times,
 * as k-means does between two updates of its centres: which centre, and the square of the distance.
 *
 * One loop a step, parallel over the objects: threads read objects of their own and all centres.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 2 innermost, steps*n*(2 + 2*nc*nf) in all
 */
#include "kernels.h"

void kernel_kmeans(int steps, int n, int nc, int nf, double x[n][nf], double centre[nc][nf],
                   int nearest[n], double square[n])
{
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < n; i++) {
            double least = INFINITY;
            int which = 0;
            for (int c = 0; c < nc; c++) {
                double sum = 0.0;
                for (int f = 0; f < nf; f++) {
                    double d = x[i][f] - centre[c][f];
                    sum += d * d;
                }
                if (sum < least) {
                    least = sum;
                    which = c;
                }
            }
            nearest[i] = which;
            square[i] = least;
        }
    }
}

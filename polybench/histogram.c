/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * histogram: count[b] = how many of the n keys are b, with nbins bins.
 *
 * Cleared in parallel over the bins b, then filled in parallel over the keys i; any thread may meet
 * any bin, so that the increment is atomic.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 1 innermost, nbins in all
 *   loop 2: 3 innermost, 3*n in all
 */
#include "kernels.h"

void kernel_histogram(int n, int nbins, int key[n], int count[nbins])
{
#pragma omp parallel for SCHEDULED
    for (int b = 0; b < nbins; b++)
        count[b] = 0;
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < n; i++) {
        int b = key[i];
#pragma omp atomic
        count[b]++;
    }
}

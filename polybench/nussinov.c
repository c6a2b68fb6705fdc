/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * nussinov: the largest number of base pairs in a fold of an RNA sequence of n bases (0 to 3; two
 * bases pair if they add up to 3) without crossings, no two neighbours paired: most[i][j] of the
 * piece from i to j is the greatest of most[i][j-1], most[i+1][j], most[i+1][j-1] + 1 if i and j
 * pair, and most[i][k] + most[k+1][j] for i < k < j. most is 0 at the start; that is the answer for
 * pieces of one or two bases.
 *
 * An entry needs shorter pieces alone: the lengths d = j - i one after the other (the diagonals), a
 * diagonal parallel over i.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 2 innermost, 2*(n - 1)*(n - 2) + (n - 1)*n*(n + 1)/3 - 2*(n - 1) in all
 */
#include "kernels.h"

void kernel_nussinov(int n, char base[n], int most[n][n])
{
    for (int d = 2; d < n; d++) {
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < n - d; i++) {
            int left = most[i][i + d - 1], best = most[i + 1][i + d];
            best = left > best ? left : best;
            int paired = most[i + 1][i + d - 1] + (base[i] + base[i + d] == 3);
            best = paired > best ? paired : best;
            for (int k = i + 1; k < i + d; k++) {
                int split = most[i][k] + most[k + 1][i + d];
                best = split > best ? split : best;
            }
            most[i][i + d] = best;
        }
    }
}

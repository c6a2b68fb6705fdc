/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * deriche: Deriche's recursive smoothing filter on a w x h image: along every row a causal and an
 * anticausal second-order recursion, y1[j] = a1 x[j] + a2 x[j-1] + b1 y1[j-1] + b2 y1[j-2] and
 * y2[j] = a3 x[j+1] + a4 x[j+2] + b1 y2[j+1] + b2 y2[j+2], added; then the same along every column.
 * With e = exp(-alpha): a1 = (1 - e)^2/(1 + 2 alpha e - e^2), a2 = a1 e (alpha - 1), a3 = a1 e
 * (alpha + 1), a4 = -a1 e^2, b1 = 2 e, b2 = -e^2.
 *
 * Six loops: the two recursions and their sum, parallel over the rows i, and over the columns j for
 * the second pass (its sum again over the rows).
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, 4*w*h in all
 *   loop 2: 3 innermost, 3*w*h in all
 *   loop 3: 3 innermost, 3*w*h in all
 *   loop 4: 4 innermost, 4*w*h in all
 *   loop 5: 3 innermost, 3*w*h in all
 *   loop 6: 3 innermost, 3*w*h in all
 */
#include "kernels.h"

void kernel_deriche(int w, int h, double alpha, double in[w][h], double out[w][h], double y1[w][h],
                    double y2[w][h])
{
    double e = exp(-alpha);
    double a1 = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e);
    double a2 = a1 * e * (alpha - 1.0), a3 = a1 * e * (alpha + 1.0), a4 = -a1 * e * e;
    double b1 = 2.0 * e, b2 = -e * e;

#pragma omp parallel for SCHEDULED
    for (int i = 0; i < w; i++) {
        double before = 0.0, last = 0.0, last2 = 0.0;
        for (int j = 0; j < h; j++) {
            y1[i][j] = a1 * in[i][j] + a2 * before + b1 * last + b2 * last2;
            before = in[i][j];
            last2 = last;
            last = y1[i][j];
        }
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < w; i++) {
        double after = 0.0, after2 = 0.0, next = 0.0, next2 = 0.0;
        for (int j = h - 1; j >= 0; j--) {
            y2[i][j] = a3 * after + a4 * after2 + b1 * next + b2 * next2;
            after2 = after;
            after = in[i][j];
            next2 = next;
            next = y2[i][j];
        }
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out[i][j] = y1[i][j] + y2[i][j];

#pragma omp parallel for SCHEDULED
    for (int j = 0; j < h; j++) {
        double before = 0.0, last = 0.0, last2 = 0.0;
        for (int i = 0; i < w; i++) {
            y1[i][j] = a1 * out[i][j] + a2 * before + b1 * last + b2 * last2;
            before = out[i][j];
            last2 = last;
            last = y1[i][j];
        }
    }
#pragma omp parallel for SCHEDULED
    for (int j = 0; j < h; j++) {
        double after = 0.0, after2 = 0.0, next = 0.0, next2 = 0.0;
        for (int i = w - 1; i >= 0; i--) {
            y2[i][j] = a3 * after + a4 * after2 + b1 * next + b2 * next2;
            after2 = after;
            after = out[i][j];
            next2 = next;
            next = y2[i][j];
        }
    }
#pragma omp parallel for SCHEDULED
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out[i][j] = y1[i][j] + y2[i][j];
}

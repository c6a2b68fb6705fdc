/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * covariance's reference: the mean product less the product of the means, from the raw data.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*data)[m] = mem[0];
    double(*cov)[m] = mem[1];
    double *mean = mem[2];
    for (int i = 0; i < m; i++) {
        mean[i] = 0.0;
        for (int k = 0; k < n; k++)
            mean[i] += data[k][i];
        mean[i] /= n;
        for (int j = 0; j < m; j++) {
            double x = 0.0, y = 0.0, xy = 0.0;
            for (int k = 0; k < n; k++) {
                x += data[k][i];
                y += data[k][j];
                xy += data[k][i] * data[k][j];
            }
            cov[i][j] = (xy - x * y / n) / (n - 1);
        }
    }
}

static void run(const int *sz, void **mem)
{
    kernel_covariance(sz[0], sz[1], mem[0], mem[1], mem[2]);
}

/* The sums round n times at a size of about n; what is left after the subtraction is n/12, the
 * variance of the uniform numbers. */
static double tolerance(const int *sz)
{
    return 2.0 * 12.0 * sz[1] * DBL_EPSILON;
}

const kernel_case the_case = {
    .name = "covariance",
    .symbols = {"m", "n"},
    .arrays = {{"data", "n m"}, {"cov", "m m", .result = true}, {"mean", "m", .result = true}},
    .run = run,
    .expect = expect,
    .tolerance = tolerance};

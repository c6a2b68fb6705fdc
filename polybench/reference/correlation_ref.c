/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * correlation's reference: the textbook's coefficient, (sum x y - n mx my) / (n sx sy), from the
 * raw data.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*data)[m] = mem[0];
    double(*corr)[m] = mem[1];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
            for (int k = 0; k < n; k++) {
                x += data[k][i];
                y += data[k][j];
                xx += data[k][i] * data[k][i];
                yy += data[k][j] * data[k][j];
                xy += data[k][i] * data[k][j];
            }
            double cov = xy - x * y / n;
            corr[i][j] = cov / sqrt((xx - x * x / n) * (yy - y * y / n));
        }
}

static void run(const int *sz, void **mem)
{
    kernel_correlation(sz[0], sz[1], mem[0], mem[1], mem[2], mem[3]);
}

/* The sums round n times at a size of about n; what is left after the subtraction is n/12, the
 * variance of the uniform numbers. */
static double tolerance(const int *sz)
{
    return 3.0 * 2.0 * 12.0 * sz[1] * DBL_EPSILON;
}

const kernel_case the_case = {
    .name = "correlation",
    .symbols = {"m", "n"},
    .arrays = {{"data", "n m"}, {"corr", "m m", .result = true}, {"mean", "m"}, {"stddev", "m"}},
    .run = run,
    .expect = expect,
    .tolerance = tolerance};

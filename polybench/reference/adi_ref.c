/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * adi's reference: each line's tridiagonal system is set up as such and solved by elimination from
 * its other end.
 */
#include "driver.h"

#define RX 0.8
#define RY 0.6

/* -r/2 x[j-1] + (1 + r) x[j] - r/2 x[j+1] = right[j] for 0 < j < n - 1, 1 at both ends. */
static void solve(int n, double r, double *right, double *diagonal, double *x)
{
    x[0] = 1.0;
    right[n - 1] = 1.0;
    diagonal[n - 1] = 1.0;
    double above = 0.0; /* no equation couples the last unknown to the one before */
    for (int j = n - 2; j > 0; j--) {
        double factor = -r / 2.0 / diagonal[j + 1];
        diagonal[j] = 1.0 + r - factor * above;
        right[j] -= factor * right[j + 1];
        above = -r / 2.0;
    }
    for (int j = 1; j < n - 1; j++)
        x[j] = (right[j] + r / 2.0 * x[j - 1]) / diagonal[j];
    x[n - 1] = 1.0;
}

static void expect(const int *sz, void **mem)
{
    int tsteps = sz[0], n = sz[1];
    double(*u)[n] = mem[0];
    double(*v)[n] = mem[1];
    double line[n], diagonal[n], right[n];
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++)
                right[j] = u[j][i] + RY / 2.0 * (u[j][i - 1] - 2.0 * u[j][i] + u[j][i + 1]);
            solve(n, RX, right, diagonal, line);
            for (int j = 0; j < n; j++)
                v[j][i] = line[j];
        }
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++)
                right[j] = v[i][j] + RX / 2.0 * (v[i - 1][j] - 2.0 * v[i][j] + v[i + 1][j]);
            solve(n, RY, right, diagonal, line);
            for (int j = 0; j < n; j++)
                u[i][j] = line[j];
        }
    }
}

static void run(const int *sz, void **mem)
{
    kernel_adi(sz[0], sz[1], RX, RY, mem[0], mem[1], mem[2], mem[3]);
}

/* Diagonally dominant systems and, for r <= 1, means on the right: no error grows; a half step adds
 * some 20 roundings. */
static double tolerance(const int *sz)
{
    return 40.0 * sz[0] * DBL_EPSILON;
}

const kernel_case the_case = {.name = "adi",
                              .symbols = {"tsteps", "n"},
                              .arrays = {{"u", "n n", .result = true},
                                         {"v", "n n", .result = true},
                                         {"p", "n n"},
                                         {"q", "n n"}},
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gramschmidt's reference: the columns one after the other, each freed of all earlier ones before
 * it is divided by its norm.
 */
#include "driver.h"

static void expect(const int *sz, void **mem)
{
    int m = sz[0], n = sz[1];
    double(*A)[n] = mem[0];
    double(*R)[n] = mem[1];
    double(*Q)[n] = mem[2];
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) {
            double product = 0.0;
            for (int i = 0; i < m; i++)
                product += Q[i][k] * A[i][j];
            for (int i = 0; i < m; i++)
                A[i][j] -= Q[i][k] * product;
            R[k][j] = product;
        }
        double square = 0.0;
        for (int i = 0; i < m; i++)
            square += A[i][j] * A[i][j];
        R[j][j] = sqrt(square);
        for (int i = 0; i < m; i++)
            Q[i][j] = A[i][j] / R[j][j];
    }
}

static void run(const int *sz, void **mem)
{
    kernel_gramschmidt(sz[0], sz[1], mem[0], mem[1], mem[2]);
}

const kernel_case the_case = {.name = "gramschmidt",
                              .symbols = {"m", "n"},
                              .arrays = {{"A", "m n", .result = true},
                                         {"R", "n n", .result = true},
                                         {"Q", "m n", .result = true}},
                              .run = run,
                              .expect = expect};

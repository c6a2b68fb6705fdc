/* SPDX-License-Identifier: GPL-3.0-or-later
 * Tests that GCC joins when it optimises: of fields side by side, of two numbers. The
 * record has the values of the fields, and each way of the tests, at every level. */
#include <stdio.h>

struct kind { int class, space; long rows; short a, b; };
static double A[300], B[300], D[300];

__attribute__((noinline)) static void fields(int n, const struct kind *x, const struct kind *y)
{
    if (x->class == y->class && x->space == y->space && x->rows == y->rows) {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < n; i++)
            A[i] += 1;
    } else {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < n; i++)
            B[2 * i] += 2;
    }
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++) {
        if (x->a == 3 && x->b == -4)
            A[i] += 3;
        if (x->class == 0 && x->space == 0)
            D[i + 20] += 5;
    }
}

__attribute__((noinline)) static void steps(int n, int more)
{
    for (int k = 0; k < 4; k++) {
        int size = (int)A[k] + more, at = (int)A[k + 1];
        if (size > 0 && at > 0 && size >= at) {
#pragma omp parallel for num_threads(2)
            for (int i = 0; i < n; i++)
                A[i + 4] += 1;
        }
    }
}

int main(void)
{
    struct kind x = {0, 0, 7, 3, -4}, y = x, z = {0, 1, 7, 3, 4};
    fields(100, &x, &y);
    fields(100, &x, &z);
    fields(100, &z, &y);
    A[0] = A[1] = 2;
    A[2] = A[3] = A[4] = 1;
    steps(100, 3);
    steps(100, -3);
    double sum = 0;
    for (int i = 0; i < 300; i++)
        sum += A[i] * i + B[i] + D[i];
    printf("%.0f\n", sum);
    return 0;
}

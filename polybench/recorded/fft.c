/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A fast Fourier transform like that of SPLASH-2: n = 2^(2 m) complex numbers as a matrix of 2^m
 * rows, transposed, rows transformed, multiplied by roots of unity, and so again. Strides are
 * powers of two that double, and the order of a row is its reversed bits, so that no nest describes
 * it. fft M: prints a sum, which tells whether it is right: the transform of an impulse is all
 * ones.
 */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static void transpose(int rows, const double complex *from, double complex *to)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            to[(size_t)i * rows + j] = from[(size_t)j * rows + i];
}

static void transform_rows(int rows, int bits, const double complex *root, double complex *x)
{
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows; r++) {
        double complex *row = x + (size_t)r * rows;
        for (int i = 0; i < rows; i++) {
            int reversed = 0;
            for (int b = 0; b < bits; b++)
                reversed |= (i >> b & 1) << (bits - 1 - b);
            if (reversed > i) {
                const double complex other = row[reversed];
                row[reversed] = row[i];
                row[i] = other;
            }
        }
        for (int half = 1; half < rows; half *= 2)
            for (int first = 0; first < rows; first += 2 * half)
                for (int k = 0; k < half; k++) {
                    const double complex turned =
                        root[(size_t)k * (rows / (2 * half)) * rows] * row[first + half + k];
                    row[first + half + k] = row[first + k] - turned;
                    row[first + k] += turned;
                }
    }
}

static void turn(int rows, const double complex *root, double complex *x)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            x[(size_t)i * rows + j] *= root[(size_t)i * j];
}

int main(int argc, char **argv)
{
    const int bits = argc > 1 ? atoi(argv[1]) : 5, rows = 1 << bits;
    const size_t n = (size_t)rows * rows;
    double complex *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y),
                   *root = calloc(n, sizeof *root);
    if (bits < 1 || bits > 12 || !x || !y || !root)
        return 2;
    for (size_t i = 0; i < n; i++)
        root[i] = cexp(-2 * pi * I * (double)i / (double)n);
    x[0] = 1;
    transpose(rows, x, y);
    transform_rows(rows, bits, root, y);
    turn(rows, root, y);
    transpose(rows, y, x);
    transform_rows(rows, bits, root, x);
    transpose(rows, x, y);
    double complex sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += y[i];
    printf("%.6f %.6f\n", creal(sum) / (double)n, cimag(sum) / (double)n);
    free(x), free(y), free(root);
    return 0;
}

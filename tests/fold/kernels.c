/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs to be folded: KERNEL n m, over arrays from malloc. Functions that are asked for by their names are not put in line.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef KERNEL
#define KERNEL product
#endif

__attribute__((noinline)) void product(int n, int m, double *A, double *B, double *C)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < m; k++)
                C[i * n + j] += A[i * m + k] * B[k * n + j];
}

__attribute__((noinline)) void triangle(int n, int m, double *A, double *B, double *C)
{
    for (int k = 0; k < n; k++) {
#pragma omp parallel for
        for (int i = k + 1; i < n; i++) {
            A[i * m] = B[0];
            for (int j = 0; j <= i; j++)
                C[i * n + j] -= C[k * n + j];
        }
    }
}

__attribute__((noinline)) void steps(int n, int m, double *A, double *B, double *C)
{
#pragma omp parallel
    for (int t = 0; t < n; t++) {
#pragma omp for
        for (int i = 1; i < m - 1; i++)
            A[i] = B[i - 1] + B[i + 1];
#pragma omp for
        for (int i = 1; i < m - 1; i++)
            B[i] = A[i] * C[i];
    }
}

__attribute__((noinline)) void dispatched(int n, int m, double *A, double *B, double *C)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            C[i] += A[i * m + j] * B[j];
}

/* Which of the loops over consecutive addresses is distributed, one thread's accesses do not tell:
 * those of rows and of elements are the same. */
__attribute__((noinline)) void rows(int n, int m, double *A, double *B, double *C)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            C[i * m + j] = A[i * m + j] + B[i * m + j];
}

__attribute__((noinline)) void elements(int n, int m, double *A, double *B, double *C)
{
#pragma omp parallel for
    for (int i = 0; i < n * m; i++)
        C[i] = A[i] + B[i];
}

#ifndef CHUNK
#define CHUNK 1
#endif

__attribute__((noinline)) void chunks(int n, int m, double *A, double *B, double *C)
{
#pragma omp parallel for schedule(static, CHUNK)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            C[i] += A[i * m + j] * B[j];
}

__attribute__((noinline)) void chunks_of_rows(int n, int m, double *A, double *B, double *C)
{
#pragma omp parallel for schedule(static, CHUNK) collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < m; k++)
                C[i * n + j] += A[i * m + k] * B[k * n + j];
}

__attribute__((noinline)) void gather(int n, int m, double *A, double *B, double *C)
{
    unsigned state = 1;
    for (int i = 0; i < 200 * n; i++) {
        state = state * 1664525 + 1013904223;
        C[i % n] += A[state / 65536 % (unsigned)(n * m)] + B[i % m];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 8, m = argc > 2 ? atoi(argv[2]) : 8, all = (n + m) * (n + m);
    double *A = calloc((size_t)all, 8), *B = calloc((size_t)all, 8), *C = calloc((size_t)all, 8);
    KERNEL(n, m, A, B, C);
    free(A);
    free(B);
    free(C);
    return 0;
}

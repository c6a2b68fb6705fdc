/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The arrays that no address and no bound needs cannot be read while the samplers run: a load from
 * one of them, or a store, ends the program. pluss_rt_sample_end is wrapped (ld --wrap) to give
 * them back for the region itself. Prints how often it was called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { N = 500, BYTES = 1 << 16 };

static char *data;
static int samples;

static void *guarded(int which)
{
    return data + (size_t)which * BYTES;
}

static void guard(int access)
{
    if (mprotect(data, 4 * BYTES, access))
        abort();
}

void __real_pluss_rt_sample_end(void *sample);
void __wrap_pluss_rt_sample_end(void *sample)
{
    guard(PROT_READ | PROT_WRITE);
    samples++;
    __real_pluss_rt_sample_end(sample);
}

__attribute__((noinline)) void spmv(int n, const int *row, const int *col, const double *value,
                                    const double *x, double *y)
{
#pragma omp parallel for schedule(dynamic, 3)
    for (int i = 0; i < n; i++) {
        int end = row[i + 1];
        y[i] = 0;
        for (int k = row[i]; k < end; k++)
            y[i] += value[k] * x[col[k]];
    }
}

__attribute__((noinline)) void histogram(int n, const int *key, int *count)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
#pragma omp atomic
        count[key[i]]++;
}

__attribute__((noinline)) void gemm(int n, double *a, double *b, double *c)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(void)
{
    data = mmap(NULL, 4 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return 1;
    static int row[N + 1], col[4 * N];
    double *value = guarded(0), *x = guarded(1), *y = guarded(2);
    int *count = guarded(3);
    for (int i = 0; i <= N; i++)
        row[i] = 4 * i;
    for (int k = 0; k < 4 * N; k++) {
        col[k] = k * 37 % N;
        value[k] = k;
    }
    for (int i = 0; i < N; i++)
        x[i] = i;
    guard(PROT_NONE);
    spmv(N, row, col, value, x, y);
    guard(PROT_NONE);
    histogram(4 * N, col, count);
    guard(PROT_NONE);
    gemm(20, guarded(0), guarded(1), guarded(2));
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] + count[i];
    printf("%d samples, %.17g\n", samples, sum);
    return 0;
}

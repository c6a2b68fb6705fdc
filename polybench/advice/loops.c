/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops with a better form that is known: ../advice.py has which, and at what sizes. PolyBench's
 * with loops interchanged, tiles that do not fit, arrays with rows of a power of two bytes, packed
 * counters, chunks that share lines.
 */
#include <stdint.h>

/* what each is called by is its description alone */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- loops in the wrong order ----------------------------------------------------------------
 */

void gemm_ijk(int n, double C[n][n], double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i][j] *= 1.5;
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}

void gemm_jki(int n, double C[n][n], double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++)
                C[i][j] += A[i][k] * B[k][j];
}

void mm2(int n, double T[n][n], double D[n][n], double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T[i][j] = 0;
            for (int k = 0; k < n; k++)
                T[i][j] += A[i][k] * B[k][j];
            D[i][j] = T[i][j];
        }
}

void syrk_transposed(int n, double C[n][n], double A[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[k][i] * A[k][j];
}

void syr2k_transposed(int n, double C[n][n], double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[k][j] * B[k][i] + B[k][j] * A[k][i];
}

void trmm(int n, double A[n][n], double B[n][n])
{
#pragma omp parallel
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = i + 1; k < n; k++)
                B[i][j] += A[k][i] * B[k][j];
}

void mvt_second(int n, double A[n][n], double x[n], double y[n])
{
#pragma omp parallel
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] += A[j][i] * y[j];
}

void atax_second(int n, double A[n][n], double t[n], double y[n])
{
#pragma omp parallel
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[j] += A[i][j] * t[i];
}

void gemver_update(int n, double A[n][n], double u[n], double v[n])
{
#pragma omp parallel for
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i][j] += u[i] * v[j];
}

void gesummv_columns(int n, double A[n][n], double B[n][n], double s[n], double x[n])
{
#pragma omp parallel
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s[i] += A[i][j] * x[j] + B[i][j] * x[j];
}

void jacobi_columns(int n, double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            B[i][j] = A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j];
}

void fdtd_columns(int n, double ey[n][n], double hz[n][n])
{
#pragma omp parallel for
    for (int j = 0; j < n; j++)
        for (int i = 1; i < n; i++)
            ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
}

void heat_kji(int n, double A[n][n][n], double B[n][n][n])
{
#pragma omp parallel for
    for (int k = 1; k < n - 1; k++)
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++)
                B[i][j][k] = A[i + 1][j][k] + A[i - 1][j][k] + A[i][j + 1][k] + A[i][j - 1][k] +
                             A[i][j][k + 1] + A[i][j][k - 1];
}

void covariance(int n, double data[n][n], double cov[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            cov[i][j] = 0;
            for (int k = 0; k < n; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= n - 1.0;
        }
}

void convolution_columns(int n, double in[n][n], double out[n][n])
{
#pragma omp parallel for
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            out[i][j] = in[i - 1][j - 1] - in[i + 1][j + 1] + 2 * in[i][j];
}

void symm_part(int n, double C[n][n], double A[n][n], double B[n][n])
{
#pragma omp parallel
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < i; k++)
                C[k][j] += B[i][j] * A[i][k];
}

void floats_columns(int n, float A[n][n], float B[n][n])
{
#pragma omp parallel for
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            B[i][j] = 2 * A[i][j];
}

/* ---- tiles -----------------------------------------------------------------------------------
 */

void transpose(int n, double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[j][i] = A[i][j];
}

void transposed_sum(int n, double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[i][j] += A[j][i];
}

void gemm_ikj(int n, double C[n][n], double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                C[i][j] += A[i][k] * B[k][j];
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define TILED_PRODUCT(name, tile)                                                                  \
    void name(int n, double C[n][n], double A[n][n], double B[n][n])                               \
    {                                                                                              \
        _Pragma("omp parallel for") for (int ii = 0; ii < n; ii += tile) for (int kk = 0; kk < n;  \
                                                                              kk += tile)          \
            for (int jj = 0; jj < n; jj += tile) for (int i = ii; i < MIN(n, ii + tile); i++)      \
                for (int k = kk; k < MIN(n, kk + tile); k++) for (int j = jj;                      \
                                                                  j < MIN(n, jj + tile); j++)      \
                    C[i][j] += A[i][k] * B[k][j];                                                  \
    }
TILED_PRODUCT(tile_64, 64)
TILED_PRODUCT(tile_100, 100)

void syrk_rows(int n, double C[n][n], double A[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * A[j][k];
}

/* ---- rows of a power of two bytes, whose columns are in one set --------------------------------
 */

double P[256][512], Q[256][512];
float F[256][1024];
double V[128][1024];
double S3[16][32][512];

void wave_power(int rounds)
{
#pragma omp parallel
    for (int t = 0; t < rounds; t++)
        for (int j = 0; j < 511; j++)
            for (int i = 1; i < 256; i++)
                P[i][j] += P[i - 1][j + 1];
}

void wave_two(int rounds)
{
#pragma omp parallel
    for (int t = 0; t < rounds; t++)
        for (int j = 0; j < 511; j++)
            for (int i = 1; i < 128; i++)
                Q[i][j] += Q[i - 1][j + 1] + Q[i][j + 1];
}

void wave_floats(int rounds)
{
#pragma omp parallel
    for (int t = 0; t < rounds; t++)
        for (int j = 0; j < 1023; j++)
            for (int i = 1; i < 128; i++)
                F[i][j] += F[i - 1][j + 1];
}

void wave_wide(int rounds)
{
#pragma omp parallel
    for (int t = 0; t < rounds; t++)
        for (int j = 0; j < 1023; j++)
            for (int i = 1; i < 64; i++)
                V[i][j] += V[i - 1][j + 1];
}

void wave_parallel(int rounds)
{
#pragma omp parallel for
    for (int r = 0; r < rounds; r++)
        for (int j = 0; j < 500; j++)
            for (int i = 0; i < 32; i++)
                P[32 * r + i][j] = 0.5 * P[32 * r + i][j + 1] + P[32 * r + (i + 31) % 32][j + 1];
}

void wave_planes(int rounds)
{
#pragma omp parallel
    for (int t = 0; t < rounds; t++)
        for (int k = 0; k < 511; k++)
            for (int j = 1; j < 32; j++)
                for (int i = 0; i < 16; i++)
                    S3[i][j][k] += S3[i][j - 1][k + 1];
}

/* ---- lines that threads share ------------------------------------------------------------------
 */

void chunk_1(int n, double x[n], double y[n])
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++)
            y[i] += x[i];
}

void chunk_2(int n, double x[n], double y[n])
{
#pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++)
            y[i] += x[i];
}

void chunk_dynamic(int n, double x[n], double y[n])
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++)
            y[i] += x[i];
}

void chunk_ints(int n, int x[n], int y[n])
{
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++)
            y[i] += x[i];
}

void chunk_triangle(int n, double A[n][n], double y[n])
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            y[i] += A[i][k];
}

int64_t counters[64];
int hits[64];
double totals[16][3];
struct {
    int64_t sum, count;
} pairs[64];

void packed_counters(int n, int64_t data[n])
{
#pragma omp parallel for schedule(static, 1)
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < n; i++)
            counters[t] += data[i];
}

void packed_ints(int n, int data[n])
{
#pragma omp parallel for schedule(static, 1)
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < n; i++)
            hits[t] += data[i];
}

void packed_rows(int n, double data[n])
{
#pragma omp parallel for schedule(static, 1)
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < n; i++)
            totals[t][i % 3] += data[i];
}

void packed_structs(int n, int64_t data[n])
{
#pragma omp parallel for schedule(static, 1)
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < n; i++)
            pairs[t].sum += data[i];
}

/* ---- loops over the same arrays ----------------------------------------------------------------
 */

void two_sweeps(int n, double a[n], double b[n], double c[n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void two_updates(int n, double A[n][n], double B[n][n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] *= 0.5;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            B[i][k] += A[i][k];
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same work in several forms: orders of loops and sizes of tiles, for time_accuracy.py, which
 * compares which of two is faster with which is predicted to be.
 *
 *   time_forms NAME N RUNS    prints the seconds of processor time of each run
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MATRICES int n, double A[n][n], double B[n][n], double C[n][n]
#define LOOP(x) for (int x = 0; x < n; x++)
#define PARALLEL _Pragma("omp parallel for")
#define MULTIPLY C[i][j] += A[i][k] * B[k][j];
#define ORDER(x, y, z)                                                                             \
    static void form_product_##x##y##z(MATRICES)                                                   \
    {                                                                                              \
        PARALLEL                                                                                   \
        LOOP(x) LOOP(y) LOOP(z) MULTIPLY                                                           \
    }
/* Sums over k in the outermost loop cannot be parallel. */
#define ORDER_K(y, z)                                                                              \
    static void form_product_k##y##z(MATRICES)                                                     \
    {                                                                                              \
        LOOP(k)                                                                                    \
        {                                                                                          \
            PARALLEL                                                                               \
            LOOP(y) LOOP(z) MULTIPLY                                                               \
        }                                                                                          \
    }
ORDER(i, j, k)
ORDER(i, k, j)
ORDER(j, i, k)
ORDER(j, k, i)
ORDER_K(i, j)
ORDER_K(j, i)

#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define WITHIN(x, tile, size) for (int x = tile; x < LEAST(tile + (size), n); x++)
#define TILES(size)                                                                                \
    static void form_tiled_##size(MATRICES)                                                        \
    {                                                                                              \
        PARALLEL                                                                                   \
        for (int ii = 0; ii < n; ii += size)                                                       \
            for (int kk = 0; kk < n; kk += size)                                                   \
                for (int jj = 0; jj < n; jj += size)                                               \
                    WITHIN(i, ii, size)                                                            \
        WITHIN(k, kk, size) WITHIN(j, jj, size) MULTIPLY                                           \
    }                                                                                              \
    static void form_transposed_##size(MATRICES)                                                   \
    {                                                                                              \
        (void)C;                                                                                   \
        PARALLEL                                                                                   \
        for (int ii = 0; ii < n; ii += size)                                                       \
            for (int jj = 0; jj < n; jj += size)                                                   \
                WITHIN(i, ii, size) WITHIN(j, jj, size) B[j][i] = A[i][j];                         \
    }
TILES(4)
TILES(16)
TILES(32)
TILES(64)
TILES(256)

static void form_transposed_rows(MATRICES)
{
    (void)C;
    PARALLEL
    LOOP(i) LOOP(j) B[j][i] = A[i][j];
}

static void form_sums_rows(MATRICES)
{
    (void)B;
    PARALLEL
    LOOP(i) LOOP(j) C[0][i] += A[i][j];
}

static void form_sums_columns(MATRICES)
{
    (void)B;
    PARALLEL
    LOOP(j) LOOP(i) C[0][j] += A[i][j];
}

static void form_sums_columns_inside(MATRICES)
{
    (void)B;
    LOOP(i)
    {
        PARALLEL
        LOOP(j) C[0][j] += A[i][j];
    }
}

static const struct form {
    const char *name;
    void (*run)(MATRICES);
} forms[] = {
#define FORM(name)                                                                                 \
    {                                                                                              \
#name, form_##name                                                                         \
    }
    FORM(product_ijk),     FORM(product_ikj),   FORM(product_jik),   FORM(product_jki),
    FORM(product_kij),     FORM(product_kji),   FORM(tiled_4),       FORM(tiled_16),
    FORM(tiled_32),        FORM(tiled_64),      FORM(tiled_256),     FORM(transposed_4),
    FORM(transposed_16),   FORM(transposed_32), FORM(transposed_64), FORM(transposed_256),
    FORM(transposed_rows), FORM(sums_rows),     FORM(sums_columns),  FORM(sums_columns_inside),
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[2]) : 0, runs = argc > 3 ? atoi(argv[3]) : 1;
    if (argc < 3 || n < 1)
        return 2;
    const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    void *at[3];
    for (int m = 0; m < 3; m++) {
        at[m] = malloc(bytes);
        if (!at[m])
            return 3;
        for (size_t i = 0; i < bytes / sizeof(double); i++)
            ((double *)at[m])[i] = 1 + (double)(i % 7);
    }
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int r = 0; r < runs && strcmp(argv[1], forms[f].name) == 0; r++) {
            const double start = seconds();
            forms[f].run(n, at[0], at[1], at[2]);
            printf("%.9f\n", seconds() - start);
        }
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same work in several forms: orders of loops and sizes of tiles, for time_accuracy.py, which
 * compares which of two is faster with which is predicted to be.
 *
 *   time_forms NAME N RUNS    prints the seconds of each run, by the clock and of processor time;
 *                             N 0: the size that the form has here
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MATRICES int n, double A[n][n], double B[n][n], double C[n][n]
#define LOOP(x) for (int x = 0; x < n; x++)
#define PARALLEL _Pragma("omp parallel for")
#define MULTIPLY C[i][j] += A[i][k] * B[k][j];
#define UPDATE C[i][j] += A[i][k] * A[j][k];
#define ORDER(kind, statement, x, y, z)                                                            \
    static void form_##kind##_##x##y##z(MATRICES)                                                  \
    {                                                                                              \
        (void)B;                                                                                   \
        PARALLEL                                                                                   \
        LOOP(x) LOOP(y) LOOP(z) statement                                                          \
    }
/* Sums over k in the outermost loop cannot be parallel. */
#define ORDER_K(kind, statement, y, z)                                                             \
    static void form_##kind##_k##y##z(MATRICES)                                                    \
    {                                                                                              \
        (void)B;                                                                                   \
        LOOP(k)                                                                                    \
        {                                                                                          \
            PARALLEL                                                                               \
            LOOP(y) LOOP(z) statement                                                              \
        }                                                                                          \
    }
#define ORDERS(kind, statement)                                                                    \
    ORDER(kind, statement, i, j, k)                                                                \
    ORDER(kind, statement, i, k, j)                                                                \
    ORDER(kind, statement, j, i, k)                                                                \
    ORDER(kind, statement, j, k, i)                                                                \
    ORDER_K(kind, statement, i, j)                                                                 \
    ORDER_K(kind, statement, j, i)
ORDERS(product, MULTIPLY)
ORDERS(update, UPDATE)

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

/* With the size at which time_accuracy.py runs them. */
static const struct form {
    const char *name;
    int n;
    void (*run)(MATRICES);
} forms[] = {
#define FORM(name, n)                                                                              \
    {                                                                                              \
#name, n, form_##name                                                                      \
    }
    FORM(product_ijk, 400),      FORM(product_ikj, 400),
    FORM(product_jik, 400),      FORM(product_jki, 400),
    FORM(product_kij, 400),      FORM(product_kji, 400),
    FORM(update_ijk, 400),       FORM(update_ikj, 400),
    FORM(update_jik, 400),       FORM(update_jki, 400),
    FORM(update_kij, 400),       FORM(update_kji, 400),
    FORM(tiled_4, 400),          FORM(tiled_16, 400),
    FORM(tiled_32, 400),         FORM(tiled_64, 400),
    FORM(tiled_256, 400),        FORM(transposed_4, 2000),
    FORM(transposed_16, 2000),   FORM(transposed_32, 2000),
    FORM(transposed_64, 2000),   FORM(transposed_256, 2000),
    FORM(transposed_rows, 2000), FORM(sums_rows, 2000),
    FORM(sums_columns, 2000),    FORM(sums_columns_inside, 2000),
};

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const struct form *form = forms, *end = forms + sizeof forms / sizeof *forms;
    while (argc > 1 && form < end && strcmp(argv[1], form->name) != 0)
        form++;
    if (argc < 4 || form == end || atoi(argv[2]) < 0)
        return 2;
    const int n = atoi(argv[2]) > 0 ? atoi(argv[2]) : form->n;
    const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    void *at[3];
    for (int m = 0; m < 3; m++) {
        at[m] = malloc(bytes);
        if (!at[m])
            return 3;
        for (size_t i = 0; i < bytes / sizeof(double); i++)
            ((double *)at[m])[i] = 1 + (double)(i % 7);
    }
    for (int r = 0; r < atoi(argv[3]); r++) {
        const double start = seconds(CLOCK_MONOTONIC);
        const double start_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        form->run(n, at[0], at[1], at[2]);
        const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
        printf("%.9f s, %.9f s of processor time\n", seconds(CLOCK_MONOTONIC) - start, cpu);
    }
    return 0;
}

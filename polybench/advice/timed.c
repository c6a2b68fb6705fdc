/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops and what advice makes of them, by their process time: ../advice_time.sh. The seconds of one
 * of them are printed; what it computes is used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 3000, M = 600, ROWS = 4096, LONG = 512, PADDED = 520, TILE = 32 };

static double A[N][N], B[N][N];
static double X[M][M], Y[M][M], Z[M][M];
static double P[ROWS][LONG], Q[ROWS][PADDED];

static void columns(void)
{
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++)
            B[i][j] = A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j];
}

static void rows(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            B[i][j] = A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j];
}

static void transpose(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            B[j][i] = A[i][j];
}

static void transpose_tiled(void)
{
    for (int ii = 0; ii < N; ii += TILE)
        for (int jj = 0; jj < N; jj += TILE)
            for (int i = ii; i < (ii + TILE < N ? ii + TILE : N); i++)
                for (int j = jj; j < (jj + TILE < N ? jj + TILE : N); j++)
                    B[j][i] = A[i][j];
}

static void product(void)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < M; k++)
                Z[i][j] += X[i][k] * Y[k][j];
}

static void product_ikj(void)
{
    for (int i = 0; i < M; i++)
        for (int k = 0; k < M; k++)
            for (int j = 0; j < M; j++)
                Z[i][j] += X[i][k] * Y[k][j];
}

static void wave(void)
{
    for (int j = 0; j < LONG - 1; j++)
        for (int i = 1; i < 400; i++)
            P[i][j] += P[i - 1][j + 1];
}

static void wave_padded(void)
{
    for (int j = 0; j < LONG - 1; j++)
        for (int i = 1; i < 400; i++)
            Q[i][j] += Q[i - 1][j + 1];
}

static const struct {
    const char *name;
    void (*run)(void);
    int times;
} all[] = {
    {"columns", columns, 2},     {"rows", rows, 2},
    {"transpose", transpose, 2}, {"transpose_tiled", transpose_tiled, 2},
    {"product", product, 1},     {"product_ikj", product_ikj, 1},
    {"wave", wave, 100},         {"wave_padded", wave_padded, 100},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, argv[1]) != 0)
            continue;
        memset(A, 1, sizeof A);
        memset(B, 1, sizeof B);
        all[i].run(); /* memory is there before the clock starts */
        clock_t start = clock();
        for (int k = 0; k < all[i].times; k++)
            all[i].run();
        printf("%.4f\n", (double)(clock() - start) / CLOCKS_PER_SEC);
        fprintf(stderr, "%g\n", A[1][1] + B[1][1] + Z[1][1] + P[1][1] + Q[1][1]);
        return EXIT_SUCCESS;
    }
    return EXIT_FAILURE;
}

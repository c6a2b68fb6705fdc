/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of four elements, wherever they begin, and the rest of a row one by one. */
typedef float vector __attribute__((vector_size(16), aligned(4), may_alias));

void scale(int rows, int n, float *restrict to, const float *restrict from)
{
#pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        int j = 0;
        for (; j < n - 3; j += 4)
            *(vector *)&to[i * n + j] = *(const vector *)&from[i * n + j] * 2;
        for (; j < n; j++)
            to[i * n + j] = 2 * from[i * n + j];
    }
}

/* Neighbours of a static array: parts of lines, and vectors across them. */
static float line[4096];

void smooth(float *restrict to)
{
#pragma omp parallel for
    for (int i = 1; i < 4090; i++)
        to[i] = line[i - 1] + (*(vector *)&line[i])[3];
}

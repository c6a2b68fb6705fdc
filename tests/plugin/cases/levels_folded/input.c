/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What GCC writes in one way without optimisation and in another with it: conversions and calls of
 * rounding functions; products of a field and a loop's variable. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct codes {
    size_t size, other;
};

static inline int count_threads(double work, double chunk, int most)
{
    int64_t threads = (int64_t)floor(work / (chunk > 1 ? chunk : 1));
    threads = threads < most ? threads : most;
    return (int)(threads > 1 ? threads : 1);
}

static inline void plan(int *threads, int *tasks, int64_t n, double chunk, int most)
{
    if (n == 0) {
        *threads = 1;
        *tasks = 1;
    } else {
        *threads = count_threads((double)n, chunk, most);
        *tasks = *threads == 1 ? 1 : 8 * *threads;
    }
}

void prepare(double *);

void by_tasks(double *x, int64_t n, double chunk, int most)
{
    int threads, tasks;
    plan(&threads, &tasks, n, chunk, most);
    prepare(x);
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < tasks; i++)
        x[i] = 1;
}

void encode(const struct codes *c, uint8_t *codes, size_t n)
{
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        codes[c->size * i / 8] = 1;
        codes[c->other * n * i / 16] = 2;
    }
}

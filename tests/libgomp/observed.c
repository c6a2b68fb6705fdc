/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What GCC and libgomp really do with worksharing loops: who executes which iteration of static
 * ones, which chunks dynamic and guided ones hand out. One line a loop, the same as expected.c
 * prints from the library's closed forms. Link with the --wrap options of run.sh.
 */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "loops.h"

static int owner[MAX_N];

static void print_owners(const char *kind, int n, int chunk, int team)
{
    printf("%s n=%d chunk=%d team=%d:", kind, n, chunk, team);
    for (int i = 0; i < n; i++)
        printf(" %d", owner[i]);
    printf("\n");
}

static void observe_static(int n, int chunk, int team)
{
    if (chunk == 0) {
#pragma omp parallel for num_threads(team) schedule(static)
        for (int i = 0; i < n; i++)
            owner[i] = omp_get_thread_num();
    } else {
#pragma omp parallel for num_threads(team) schedule(static, chunk)
        for (int i = 0; i < n; i++)
            owner[i] = omp_get_thread_num();
    }
    print_owners("static", n, chunk, team);
}

/* n rows of 3: the product is shared out. */
static void observe_collapse(int rows, int chunk, int team)
{
    if (chunk == 0) {
#pragma omp parallel for num_threads(team) schedule(static) collapse(2)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < 3; j++)
                owner[3 * i + j] = omp_get_thread_num();
    } else {
#pragma omp parallel for num_threads(team) schedule(static, chunk) collapse(2)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < 3; j++)
                owner[3 * i + j] = omp_get_thread_num();
    }
    print_owners("collapse", 3 * rows, chunk, team);
}

/* ---- chunks: between the compiled loop and libgomp ---------------------------------------------
 */

static long chunk_lo[MAX_N], chunk_hi[MAX_N];
static int n_chunks;

static bool note(bool some, const long *lo, const long *hi)
{
    if (some) {
#pragma omp critical
        {
            chunk_lo[n_chunks] = *lo;
            chunk_hi[n_chunks++] = *hi;
        }
    }
    return some;
}

#define WRAP(kind)                                                                                 \
    bool __real_GOMP_loop_nonmonotonic_##kind##_start(long, long, long, long, long *, long *);     \
    bool __real_GOMP_loop_nonmonotonic_##kind##_next(long *, long *);                              \
    bool __wrap_GOMP_loop_nonmonotonic_##kind##_start(long a, long b, long step, long chunk,       \
                                                      long *lo, long *hi);                         \
    bool __wrap_GOMP_loop_nonmonotonic_##kind##_next(long *lo, long *hi);                          \
    bool __wrap_GOMP_loop_nonmonotonic_##kind##_start(long a, long b, long step, long chunk,       \
                                                      long *lo, long *hi)                          \
    {                                                                                              \
        return note(__real_GOMP_loop_nonmonotonic_##kind##_start(a, b, step, chunk, lo, hi), lo,   \
                    hi);                                                                           \
    }                                                                                              \
    bool __wrap_GOMP_loop_nonmonotonic_##kind##_next(long *lo, long *hi)                           \
    {                                                                                              \
        return note(__real_GOMP_loop_nonmonotonic_##kind##_next(lo, hi), lo, hi);                  \
    }
WRAP(dynamic)
WRAP(guided)

/* Which thread took which chunk is chance; the chunks themselves, in order, are not. */
static void print_chunks(const char *kind, int end, int step, int chunk, int team)
{
    printf("%s end=%d step=%d chunk=%d team=%d:", kind, end, step, chunk, team);
    for (long at = 0; at < end;) {
        int k = 0;
        while (k < n_chunks && chunk_lo[k] != at)
            k++;
        if (k == n_chunks) {
            printf(" hole at %ld", at);
            break;
        }
        printf(" %ld", (chunk_hi[k] - chunk_lo[k] + step - 1) / step);
        at += (chunk_hi[k] - chunk_lo[k] + step - 1) / step * step;
    }
    printf("\n");
}

static void observe_chunks(bool guided, int end, int step, int chunk, int team)
{
    n_chunks = 0;
    if (guided) {
#pragma omp parallel num_threads(team)
#pragma omp for schedule(guided, chunk)
        for (int i = 0; i < end; i += step)
            owner[i] = omp_get_thread_num();
    } else {
#pragma omp parallel num_threads(team)
#pragma omp for schedule(dynamic, chunk)
        for (int i = 0; i < end; i += step)
            owner[i] = omp_get_thread_num();
    }
    print_chunks(guided ? "guided" : "dynamic", end, step, chunk, team);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "static") == 0)
        for_each_static(observe_static);
    else if (strcmp(kind, "collapse") == 0)
        for_each_static(observe_collapse);
    else if (strcmp(kind, "dynamic") == 0)
        for_each_chunked(false, observe_chunks);
    else if (strcmp(kind, "guided") == 0)
        for_each_chunked(true, observe_chunks);
    else
        return 2;
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What GCC and libgomp really do with the loops of loops.h, whose variable is an int, unsigned,
 * long or unsigned long (the first argument): who executes which iteration of static ones, which
 * chunks dynamic and guided ones have; or, with the argument `dealt`, who executes these in a
 * sampler that `pluss codegen` writes. Link with the --wrap options of run.sh.
 *
 * Which thread gets a chunk is chance; the chunks are not. So the threads need not wait for each
 * other between loops.
 */
#include <omp.h>
#include <string.h>

#include "loops.h"

/* ---- between the compiled loop and libgomp ------------------------------------------------------
 */

static _Thread_local struct {
    loop *loop;
    long start, step; /* as libgomp has them */
} present;

static bool note(long lo, long hi)
{
    long step = present.step, size = (hi - lo + step + (step < 0 ? 1 : -1)) / step;
    present.loop->at[(lo - present.start) / step] = (uint8_t)size;
    return true;
}

static bool begin(long start, long step, long lo, long hi)
{
    present.start = start;
    present.step = step;
    return note(lo, hi);
}

typedef unsigned long long ull;
#define WRAP(kind)                                                                                 \
    bool __real_GOMP_loop_nonmonotonic_##kind##_start(long, long, long, long, long *, long *);     \
    bool __real_GOMP_loop_nonmonotonic_##kind##_next(long *, long *);                              \
    bool __real_GOMP_loop_ull_nonmonotonic_##kind##_start(bool, ull, ull, ull, ull, ull *, ull *); \
    bool __real_GOMP_loop_ull_nonmonotonic_##kind##_next(ull *, ull *);                            \
    bool __wrap_GOMP_loop_nonmonotonic_##kind##_start(long, long, long, long, long *, long *);     \
    bool __wrap_GOMP_loop_nonmonotonic_##kind##_next(long *, long *);                              \
    bool __wrap_GOMP_loop_ull_nonmonotonic_##kind##_start(bool, ull, ull, ull, ull, ull *, ull *); \
    bool __wrap_GOMP_loop_ull_nonmonotonic_##kind##_next(ull *, ull *);                            \
    bool __wrap_GOMP_loop_nonmonotonic_##kind##_start(long a, long b, long step, long chunk,       \
                                                      long *lo, long *hi)                          \
    {                                                                                              \
        bool some = __real_GOMP_loop_nonmonotonic_##kind##_start(a, b, step, chunk, lo, hi);       \
        return some && begin(a, step, *lo, *hi);                                                   \
    }                                                                                              \
    bool __wrap_GOMP_loop_nonmonotonic_##kind##_next(long *lo, long *hi)                           \
    {                                                                                              \
        bool some = __real_GOMP_loop_nonmonotonic_##kind##_next(lo, hi);                           \
        return some && note(*lo, *hi);                                                             \
    }                                                                                              \
    bool __wrap_GOMP_loop_ull_nonmonotonic_##kind##_start(bool up, ull a, ull b, ull step,         \
                                                          ull chunk, ull *lo, ull *hi)             \
    {                                                                                              \
        bool some =                                                                                \
            __real_GOMP_loop_ull_nonmonotonic_##kind##_start(up, a, b, step, chunk, lo, hi);       \
        return some && begin((long)a, (long)step, (long)*lo, (long)*hi);                           \
    }                                                                                              \
    bool __wrap_GOMP_loop_ull_nonmonotonic_##kind##_next(ull *lo, ull *hi)                         \
    {                                                                                              \
        bool some = __real_GOMP_loop_ull_nonmonotonic_##kind##_next(lo, hi);                       \
        return some && note((long)*lo, (long)*hi);                                                 \
    }
WRAP(dynamic)
WRAP(guided)

/* ---- the loops ---------------------------------------------------------------------------------
 */

#define PRAGMA(text) _Pragma(#text)
#define PLAIN(first, last, change, number, ...)                                                    \
    PRAGMA(omp for nowait schedule(__VA_ARGS__))                                                   \
    for (T i = first; last; change)                                                                \
        execute(l, (int)(number));
#define COLLAPSED(first, last, change, number, ...)                                                \
    PRAGMA(omp for nowait collapse(2) schedule(__VA_ARGS__))                                       \
    for (T i = first; last; change)                                                                \
        for (int j = 0; j < 5; j += 3)                                                             \
            execute(l, 2 * (int)(number) + j / 3);
/* The bound is part of the range or not. */
#define FOUR(shape, ...)                                                                           \
    if (l->step > 0 && l->chunk % 2) {                                                             \
        shape(FIRST, i < FIRST + r, i += step, (i - FIRST) / step, __VA_ARGS__)                    \
    } else if (l->step > 0) {                                                                      \
        shape(FIRST, i <= FIRST - 1 + r, i += step, (i - FIRST) / step, __VA_ARGS__)               \
    } else if (l->chunk % 2) {                                                                     \
        shape(FIRST + r, i > FIRST, i -= step, (FIRST + r - i) / step, __VA_ARGS__)                \
    } else {                                                                                       \
        shape(FIRST + r, i >= FIRST + 1, i -= step, (FIRST + r - i) / step, __VA_ARGS__)           \
    }
#define RUN(type)                                                                                  \
    static void run_##type(loop *l)                                                                \
    {                                                                                              \
        typedef type T;                                                                            \
        T r = (T)l->range, step = (T)abs(l->step);                                                 \
        int chunk = l->chunk;                                                                      \
        present.loop = l;                                                                          \
        switch (l->kind) {                                                                         \
        case BY_BLOCK:                                                                             \
            FOUR(PLAIN, static) break;                                                             \
        case BY_STATIC:                                                                            \
            FOUR(PLAIN, static, chunk) break;                                                      \
        case BY_DYNAMIC:                                                                           \
            FOUR(PLAIN, dynamic, chunk) break;                                                     \
        case BY_GUIDED:                                                                            \
            FOUR(PLAIN, guided, chunk) break;                                                      \
        case BY_COLLAPSED_STATIC:                                                                  \
            FOUR(COLLAPSED, static, chunk) break;                                                  \
        default:                                                                                   \
            FOUR(COLLAPSED, guided, chunk) break;                                                  \
        }                                                                                          \
    }

static void execute(loop *l, int number)
{
    if (is_static(l))
        l->at[number] = (uint8_t)(omp_get_thread_num() + 1);
}

typedef unsigned long ulong;
RUN(int)
RUN(unsigned)
RUN(long)
RUN(ulong)

static void (*run)(loop *l);
static int team;

static void run_in_team(loop *l)
{
    if (l->team == team)
        run(l);
}

/* The rule of generated samplers, with iterations of equal cost: the next chunk is for the thread
 * that has executed the fewest iterations, the lowest number of several. */
static void deal(loop *l)
{
    int done[MOST_TEAM] = {0};
    if (is_static(l))
        return;
    l->dealt = true;
    for (int i = 0, size; i < l->n && (size = l->at[i]) > 0; i += size) {
        int thread = 0;
        for (int k = 1; k < l->team; k++)
            thread = done[k] < done[thread] ? k : thread;
        done[thread] += size;
        memset(l->at + i, thread + 1, (size_t)size);
    }
}

int main(int argc, char **argv)
{
    const char *type = argc > 1 ? argv[1] : "";
    run = strcmp(type, "int") == 0        ? run_int
          : strcmp(type, "unsigned") == 0 ? run_unsigned
          : strcmp(type, "long") == 0     ? run_long
          : strcmp(type, "ulong") == 0    ? run_ulong
                                          : NULL;
    if (!run)
        return 2;
    fill_table();
    for (team = 1; team <= MOST_TEAM; team++)
#pragma omp parallel num_threads(team)
        for_each_loop(run_in_team);
    if (argc > 2 && strcmp(argv[2], "dealt") == 0)
        for_each_loop(deal);
    for_each_loop(print_loop);
    return 0;
}

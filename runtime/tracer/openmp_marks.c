/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Calls of libgomp, with marks: regions, barriers, chunks. The functions are those that GCC calls;
 * each goes on to libgomp's.
 */
#include "tracer/tracer.h"

#include <dlfcn.h>
#include <stdlib.h>

#define PUBLIC __attribute__((visibility("default")))

/* libgomp's function of that name; it is there, as the program was linked with it. */
#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (!real && !(real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)))                             \
        abort();

typedef void (*body_fn)(void *);

int omp_get_thread_num(void) __attribute__((weak)); /* there where regions are */

/* ---- regions ------------------------------------------------------------------------------------
 */

typedef struct region {
    body_fn body;
    void *data;
    uint64_t number;
    long start, step; /* of the loop that the region is */
} region;

static __thread long start, step = 1; /* of the thread's current loop */

/* Regions are numbered by their functions, in the order of the first executions. What the thread
 * did before is in the file before what its team does. */
static uint64_t number_region(body_fn body)
{
    enum { MOST = 4096 };
    static body_fn known[MOST];
    uint64_t i = 0;
    for (; i < MOST; i++) {
        body_fn none = NULL;
        if (__atomic_compare_exchange_n(&known[i], &none, body, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST) ||
            none == body)
            break;
    }
    plussi_tracer_commit();
    return i + 1;
}

static void execute(void *user)
{
    const region *r = user;
    start = r->start;
    step = r->step;
    plussi_tracer_join_team((uint32_t)omp_get_thread_num());
    plussi_tracer_enter(r->number);
    r->body(r->data);
    plussi_tracer_leave();
}

PUBLIC void GOMP_parallel(body_fn body, void *data, unsigned threads, unsigned flags);
PUBLIC void GOMP_parallel(body_fn body, void *data, unsigned threads, unsigned flags)
{
    REAL(GOMP_parallel)
    region r = {body, data, number_region(body), 0, 1};
    real(execute, &r, threads, flags);
}

#define PARALLEL_LOOP(name)                                                                        \
    PUBLIC void GOMP_parallel_loop_##name(body_fn body, void *data, unsigned threads, long from,   \
                                          long to, long by, long chunk, unsigned flags);           \
    PUBLIC void GOMP_parallel_loop_##name(body_fn body, void *data, unsigned threads, long from,   \
                                          long to, long by, long chunk, unsigned flags)            \
    {                                                                                              \
        REAL(GOMP_parallel_loop_##name)                                                            \
        region r = {body, data, number_region(body), from, by};                                    \
        real(execute, &r, threads, from, to, by, chunk, flags);                                    \
    }
#define PARALLEL_RUNTIME_LOOP(name)                                                                \
    PUBLIC void GOMP_parallel_loop_##name(body_fn body, void *data, unsigned threads, long from,   \
                                          long to, long by, unsigned flags);                       \
    PUBLIC void GOMP_parallel_loop_##name(body_fn body, void *data, unsigned threads, long from,   \
                                          long to, long by, unsigned flags)                        \
    {                                                                                              \
        REAL(GOMP_parallel_loop_##name)                                                            \
        region r = {body, data, number_region(body), from, by};                                    \
        real(execute, &r, threads, from, to, by, flags);                                           \
    }
PARALLEL_LOOP(dynamic)
PARALLEL_LOOP(guided)
PARALLEL_LOOP(nonmonotonic_dynamic)
PARALLEL_LOOP(nonmonotonic_guided)
PARALLEL_RUNTIME_LOOP(runtime)
PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

/* ---- barriers -----------------------------------------------------------------------------------
 */

#define BARRIER(name)                                                                              \
    PUBLIC void GOMP_##name(void);                                                                 \
    PUBLIC void GOMP_##name(void)                                                                  \
    {                                                                                              \
        REAL(GOMP_##name)                                                                          \
        plussi_tracer_barrier();                                                                   \
        real();                                                                                    \
    }
BARRIER(barrier)
BARRIER(loop_end)
BARRIER(sections_end)

/* ---- chunks -------------------------------------------------------------------------------------
 */

static bool mark_chunk(bool any, const long *from, const long *to)
{
    plussi_tracer_leave_out(any ? from : NULL, any ? to : NULL);
    if (any && step != 0)
        plussi_tracer_chunk((uint64_t)((*from - start) / step),
                            (uint64_t)((*to - start + step - (step > 0 ? 1 : -1)) / step));
    return any;
}

#define LOOP_NEXT(name)                                                                            \
    PUBLIC bool GOMP_loop_##name##_next(long *from, long *to);                                     \
    PUBLIC bool GOMP_loop_##name##_next(long *from, long *to)                                      \
    {                                                                                              \
        REAL(GOMP_loop_##name##_next)                                                              \
        return mark_chunk(real(from, to), from, to);                                               \
    }
#define LOOP_START(name)                                                                           \
    PUBLIC bool GOMP_loop_##name##_start(long first, long end, long by, long chunk, long *from,    \
                                         long *to);                                                \
    PUBLIC bool GOMP_loop_##name##_start(long first, long end, long by, long chunk, long *from,    \
                                         long *to)                                                 \
    {                                                                                              \
        REAL(GOMP_loop_##name##_start)                                                             \
        start = first;                                                                             \
        step = by;                                                                                 \
        return mark_chunk(real(first, end, by, chunk, from, to), from, to);                        \
    }
#define RUNTIME_LOOP_START(name)                                                                   \
    PUBLIC bool GOMP_loop_##name##_start(long first, long end, long by, long *from, long *to);     \
    PUBLIC bool GOMP_loop_##name##_start(long first, long end, long by, long *from, long *to)      \
    {                                                                                              \
        REAL(GOMP_loop_##name##_start)                                                             \
        start = first;                                                                             \
        step = by;                                                                                 \
        return mark_chunk(real(first, end, by, from, to), from, to);                               \
    }
/* Loops whose counters are unsigned numbers of 64 bits. */
static bool mark_unsigned_chunk(bool any, const unsigned long long *from,
                                const unsigned long long *to)
{
    const long first = any ? (long)*from : 0, end = any ? (long)*to : 0;
    mark_chunk(any, &first, &end);
    plussi_tracer_leave_out(any ? from : NULL, any ? to : NULL);
    return any;
}

#define UNSIGNED_LOOP_NEXT(name)                                                                   \
    PUBLIC bool GOMP_loop_ull_##name##_next(unsigned long long *from, unsigned long long *to);     \
    PUBLIC bool GOMP_loop_ull_##name##_next(unsigned long long *from, unsigned long long *to)      \
    {                                                                                              \
        REAL(GOMP_loop_ull_##name##_next)                                                          \
        return mark_unsigned_chunk(real(from, to), from, to);                                      \
    }
#define UNSIGNED_LOOP_START(name)                                                                  \
    PUBLIC bool GOMP_loop_ull_##name##_start(                                                      \
        bool up, unsigned long long first, unsigned long long end, unsigned long long by,          \
        unsigned long long chunk, unsigned long long *from, unsigned long long *to);               \
    PUBLIC bool GOMP_loop_ull_##name##_start(                                                      \
        bool up, unsigned long long first, unsigned long long end, unsigned long long by,          \
        unsigned long long chunk, unsigned long long *from, unsigned long long *to)                \
    {                                                                                              \
        REAL(GOMP_loop_ull_##name##_start)                                                         \
        start = (long)first;                                                                       \
        step = (long)by;                                                                           \
        return mark_unsigned_chunk(real(up, first, end, by, chunk, from, to), from, to);           \
    }
#define UNSIGNED_RUNTIME_LOOP_START(name)                                                          \
    PUBLIC bool GOMP_loop_ull_##name##_start(bool up, unsigned long long first,                    \
                                             unsigned long long end, unsigned long long by,        \
                                             unsigned long long *from, unsigned long long *to);    \
    PUBLIC bool GOMP_loop_ull_##name##_start(bool up, unsigned long long first,                    \
                                             unsigned long long end, unsigned long long by,        \
                                             unsigned long long *from, unsigned long long *to)     \
    {                                                                                              \
        REAL(GOMP_loop_ull_##name##_start)                                                         \
        start = (long)first;                                                                       \
        step = (long)by;                                                                           \
        return mark_unsigned_chunk(real(up, first, end, by, from, to), from, to);                  \
    }
LOOP_NEXT(dynamic)
LOOP_NEXT(guided)
LOOP_NEXT(runtime)
LOOP_NEXT(nonmonotonic_dynamic)
LOOP_NEXT(nonmonotonic_guided)
LOOP_NEXT(nonmonotonic_runtime)
LOOP_NEXT(maybe_nonmonotonic_runtime)
LOOP_START(dynamic)
LOOP_START(guided)
LOOP_START(nonmonotonic_dynamic)
LOOP_START(nonmonotonic_guided)
RUNTIME_LOOP_START(runtime)
RUNTIME_LOOP_START(nonmonotonic_runtime)
RUNTIME_LOOP_START(maybe_nonmonotonic_runtime)
UNSIGNED_LOOP_NEXT(dynamic)
UNSIGNED_LOOP_NEXT(guided)
UNSIGNED_LOOP_NEXT(runtime)
UNSIGNED_LOOP_NEXT(nonmonotonic_dynamic)
UNSIGNED_LOOP_NEXT(nonmonotonic_guided)
UNSIGNED_LOOP_NEXT(nonmonotonic_runtime)
UNSIGNED_LOOP_NEXT(maybe_nonmonotonic_runtime)
UNSIGNED_LOOP_START(dynamic)
UNSIGNED_LOOP_START(guided)
UNSIGNED_LOOP_START(nonmonotonic_dynamic)
UNSIGNED_LOOP_START(nonmonotonic_guided)
UNSIGNED_RUNTIME_LOOP_START(runtime)
UNSIGNED_RUNTIME_LOOP_START(nonmonotonic_runtime)
UNSIGNED_RUNTIME_LOOP_START(maybe_nonmonotonic_runtime)
LOOP_NEXT(ordered_static)
LOOP_START(ordered_static)
UNSIGNED_LOOP_NEXT(ordered_static)
UNSIGNED_LOOP_START(ordered_static)
LOOP_NEXT(ordered_dynamic)
LOOP_START(ordered_dynamic)
UNSIGNED_LOOP_NEXT(ordered_dynamic)
UNSIGNED_LOOP_START(ordered_dynamic)
LOOP_NEXT(ordered_guided)
LOOP_START(ordered_guided)
UNSIGNED_LOOP_NEXT(ordered_guided)
UNSIGNED_LOOP_START(ordered_guided)
LOOP_NEXT(ordered_runtime)
RUNTIME_LOOP_START(ordered_runtime)
UNSIGNED_LOOP_NEXT(ordered_runtime)
UNSIGNED_RUNTIME_LOOP_START(ordered_runtime)

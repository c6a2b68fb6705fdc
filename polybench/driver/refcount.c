/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The counting stand-in for the thread sanitizer and for libgomp (a team of one). The names that
 * begin with __tsan_ and GOMP_ are those that GCC emits calls to.
 */
#include "refcount.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_COUNTED = 16 };
static struct {
    const char *name;
    uintptr_t start, end;
} arrays[MAX_COUNTED];
static struct {
    void (*body)(void *);
    uint64_t references;
} loops[MAX_COUNTED + 1]; /* [0]: serial code */
static size_t n_arrays, n_loops, current;
static bool counting;
static FILE *tracing;

void refcount_array(const char *name, const void *start, size_t bytes)
{
    if (n_arrays == MAX_COUNTED)
        abort();
    arrays[n_arrays].name = name;
    arrays[n_arrays].start = (uintptr_t)start;
    arrays[n_arrays++].end = (uintptr_t)start + bytes;
}

void refcount_start(FILE *trace)
{
    tracing = trace;
    counting = true;
}

void refcount_print(FILE *to)
{
    counting = false;
    fprintf(to, "serial %llu\n", (unsigned long long)loops[0].references);
    for (size_t l = 1; l <= n_loops; l++)
        fprintf(to, "loop %zu %llu\n", l, (unsigned long long)loops[l].references);
}

static void count(const void *address, const char *kind)
{
    for (size_t a = 0; counting && a < n_arrays; a++)
        if ((uintptr_t)address >= arrays[a].start && (uintptr_t)address < arrays[a].end) {
            for (const char *k = kind; *k; k++) {
                loops[current].references++;
                if (tracing)
                    fprintf(tracing, "%s %zu %c\n", arrays[a].name,
                            (size_t)((uintptr_t)address - arrays[a].start) / 8, *k);
            }
            return;
        }
}

#define COUNTED(name, kind)                                                                        \
    void __tsan_##name(void *address);                                                             \
    void __tsan_##name(void *address)                                                              \
    {                                                                                              \
        count(address, kind);                                                                      \
    }
COUNTED(read1, "r")
COUNTED(read4, "r")
COUNTED(read8, "r")
COUNTED(write1, "w")
COUNTED(write4, "w")
COUNTED(write8, "w")

int __tsan_atomic32_fetch_add(volatile int *address, int value, int order);
int __tsan_atomic32_fetch_add(volatile int *address, int value, int order)
{
    (void)order;
    count((const void *)address, "rw");
    int old = *address;
    *address = old + value;
    return old;
}

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *address);
void __tsan_func_entry(void *address)
{
    (void)address;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)threads;
    (void)flags;
    size_t l = 1;
    while (l <= n_loops && loops[l].body != body)
        l++;
    if (l > n_loops) {
        if (l > MAX_COUNTED)
            abort();
        loops[l].body = body;
        n_loops = l;
    }
    current = l;
    body(data);
    current = 0;
}

int omp_get_num_threads(void);
int omp_get_num_threads(void)
{
    return 1;
}
int omp_get_max_threads(void);
int omp_get_max_threads(void)
{
    return 1;
}
int omp_get_thread_num(void);
int omp_get_thread_num(void)
{
    return 0;
}
void omp_set_num_threads(int threads);
void omp_set_num_threads(int threads)
{
    (void)threads;
}
void omp_set_schedule(int kind, int chunk);
void omp_set_schedule(int kind, int chunk)
{
    (void)kind;
    (void)chunk;
}

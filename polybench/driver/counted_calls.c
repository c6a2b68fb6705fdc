/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands in for the thread sanitizer and for libgomp (a team of one) in counted programs. The
 * names that begin with __tsan_ and GOMP_ are those that GCC emits calls to.
 */
#include "refcount.h"

#define COUNTED(name, kind)                                                                        \
    void __tsan_##name(void *address);                                                             \
    void __tsan_##name(void *address)                                                              \
    {                                                                                              \
        refcount_access(address, kind);                                                            \
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
    refcount_access((const void *)address, "rw");
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
    refcount_enter(body);
    body(data);
    refcount_leave();
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A team of threads for the thread sanitizer. libgomp synchronises by futexes and bare atomics that
 * the sanitizer does not see, so that it reports races that are none. This stands in its place for
 * the one construct that the kernels use, `parallel for`: a region creates its threads and joins
 * them, which the sanitizer knows, and nothing else orders two threads. The functions that begin
 * with GOMP_ are those that GCC emits calls to.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATIC = 1, DYNAMIC = 2, MAX_TEAM = 64 };

static struct {
    int size, schedule, chunk;
    void (*body)(void *);
    void *data;
    atomic_long taken; /* iterations handed out by the dynamic schedule */
} team = {.size = 2, .schedule = STATIC};

static _Thread_local struct {
    int number;
    long start, end, step, turn;
} self;

/* ---- loops ------------------------------------------------------------------------------------
 */

static bool next_piece(long *first, long *last)
{
    long step = self.step;
    long count = (self.end - self.start + step - (step > 0 ? 1 : -1)) / step, from, to;
    if (count < 0)
        count = 0;
    if (team.schedule == DYNAMIC) {
        /* relaxed: taking a chunk orders nothing else */
        long chunk = team.chunk > 0 ? team.chunk : 1;
        from = atomic_fetch_add_explicit(&team.taken, chunk, memory_order_relaxed);
        to = from + chunk;
    } else if (team.chunk > 0) {
        from = (self.turn++ * team.size + self.number) * team.chunk;
        to = from + team.chunk;
    } else {
        if (self.turn++)
            return false;
        long share = count / team.size, more = count % team.size, number = self.number;
        from = number * share + (number < more ? number : more);
        to = from + share + (number < more);
    }
    if (to > count)
        to = count;
    if (from >= to)
        return false;
    *first = self.start + from * step;
    *last = self.start + to * step;
    return true;
}

bool GOMP_loop_maybe_nonmonotonic_runtime_start(long start, long end, long step, long *first,
                                                long *last);
bool GOMP_loop_maybe_nonmonotonic_runtime_start(long start, long end, long step, long *first,
                                                long *last)
{
    self.start = start;
    self.end = end;
    self.step = step;
    self.turn = 0;
    return next_piece(first, last);
}

bool GOMP_loop_maybe_nonmonotonic_runtime_next(long *first, long *last);
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long *first, long *last)
{
    return next_piece(first, last);
}

void GOMP_loop_end_nowait(void);
void GOMP_loop_end_nowait(void) {}

/* ---- regions ----------------------------------------------------------------------------------
 */

static void *member(void *number)
{
    self.number = *(const int *)number;
    team.body(team.data);
    return NULL;
}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)threads; /* no kernel asks for a number of its own */
    (void)flags;
    pthread_t thread[MAX_TEAM];
    int number[MAX_TEAM];
    team.body = body;
    team.data = data;
    atomic_store_explicit(&team.taken, 0, memory_order_relaxed);
    for (int t = 1; t < team.size; t++) {
        number[t] = t;
        if (pthread_create(&thread[t], NULL, member, &number[t])) {
            fputs("no thread\n", stderr);
            exit(2);
        }
    }
    body(data); /* this thread is number 0 */
    for (int t = 1; t < team.size; t++)
        pthread_join(thread[t], NULL);
}

int omp_get_num_threads(void);
int omp_get_num_threads(void)
{
    return team.size;
}
int omp_get_max_threads(void);
int omp_get_max_threads(void)
{
    return team.size;
}
int omp_get_thread_num(void);
int omp_get_thread_num(void)
{
    return self.number;
}
void omp_set_num_threads(int threads);
void omp_set_num_threads(int threads)
{
    team.size = threads < MAX_TEAM ? threads : MAX_TEAM;
}
void omp_set_schedule(int kind, int chunk);
void omp_set_schedule(int kind, int chunk)
{
    if (kind != STATIC && kind != DYNAMIC) {
        fputs("team.c has static and dynamic schedules alone\n", stderr);
        exit(2);
    }
    team.schedule = kind;
    team.chunk = chunk;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the operating system lets a thread run while another waits for its core. Nothing that
 * can be read says so for every kernel: what Linux calls a slice is rounded to its timer's ticks,
 * and stretched by what else is fair. So it is looked at, with two processes that do nothing but
 * ask for the time on one core.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { LEAST = 16, MOST = 4096 };
#define LOOK_NANOSECONDS 4e8
/* What a process misses of its own turn beyond this was somebody else's: the turn is none. */
#define BREAK_NANOSECONDS 2e5

typedef struct turns {
    atomic_int on; /* whose turn it is */
    _Atomic double begun[2], last[2];
    atomic_bool broken[2];
    atomic_size_t n;
    double took[MOST];
} turns;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void note(turns *s, double took)
{
    size_t at = atomic_fetch_add(&s->n, 1);
    if (at < MOST)
        s->took[at] = took;
}

/* One of the two. Only who has just come on writes what the other's turn was. */
static void spin(turns *s, int me, double end)
{
    const int other = 1 - me;
    for (double t; (t = now()) < end;) {
        int on = atomic_load(&s->on);
        if (on != me) {
            if (on == other && !s->broken[other])
                note(s, s->last[other] - s->begun[other]);
            s->begun[me] = t;
            s->broken[me] = on < 0; /* the first one began before it was looked at */
            atomic_store(&s->on, me);
        } else if (t - s->last[me] > BREAK_NANOSECONDS) {
            s->broken[me] = true;
        }
        s->last[me] = t;
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool take_turns(turns *s)
{
    atomic_store(&s->on, -1);
    double end = now() + LOOK_NANOSECONDS;
    pid_t child = fork();
    if (child < 0)
        return false;
    spin(s, child == 0, end);
    if (child == 0)
        _exit(0);
    return waitpid(child, NULL, 0) == child;
}

double cli_time_slice(void)
{
    cpu_set_t allowed, one;
    double median = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 0;
    CPU_ZERO(&one);
    int core = 0;
    while (core < CPU_SETSIZE && !CPU_ISSET(core, &allowed))
        core++;
    if (core == CPU_SETSIZE)
        return 0;
    CPU_SET(core, &one);
    turns *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        return 0;
    if (sched_setaffinity(0, sizeof one, &one) == 0) {
        if (take_turns(s) && s->n >= LEAST) {
            size_t n = s->n < MOST ? s->n : MOST;
            qsort(s->took, n, sizeof *s->took, ascending);
            median = s->took[n / 2];
        }
        (void)sched_setaffinity(0, sizeof allowed, &allowed);
    }
    munmap(s, sizeof *s);
    return median;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program whose heap is its own. Usage: heap WHAT
 *   storm     allocates all the time, while a signal handler touches lines that nothing has touched
 *   places    prints where blocks are that it allocates between and inside of parallel loops
 *   load FILE loads a library whose constructor waits for a thread that executes a parallel loop
 * With -DOWN_MALLOC it has allocation functions of its own, which are recorded as all others are.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#ifdef OWN_MALLOC
/* Blocks are never used again. */
static char room[64 << 20];
static size_t used;

void *malloc(size_t bytes)
{
    const size_t need = (bytes + 31) / 16 * 16,
                 at = __atomic_fetch_add(&used, need, __ATOMIC_RELAXED);
    if (at + need > sizeof room)
        return NULL;
    *(size_t *)(room + at) = bytes;
    return room + at + 16;
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t n, size_t bytes)
{
    return malloc(n * bytes); /* was never written */
}

void *realloc(void *block, size_t bytes)
{
    char *moved = malloc(bytes);
    const size_t had = block ? *(size_t *)((char *)block - 16) : 0;
    for (size_t i = 0; moved && i < had && i < bytes; i++)
        moved[i] = ((char *)block)[i];
    return moved;
}
#endif

enum { BLOCKS = 64, LINES = 1 << 18, TOUCHED = 64 };
static char *block[BLOCKS];
static char *lines;
static unsigned drawn = 1;
/* Threads of a program with and without such variables have other blocks. */
static _Thread_local volatile int calls;

static unsigned draw(unsigned below)
{
    drawn = drawn * 1103515245 + 12345;
    return (drawn >> 16) % below;
}

static void allocate(void)
{
    const unsigned i = draw(BLOCKS);
    calls++;
    const size_t bytes = draw(4096) + 1;
    free(block[i]);
    block[i] = malloc(bytes);
    memset(block[i], (int)i, bytes);
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
    (void)number;
    for (int i = 0; i < TOUCHED; i++)
        lines[(handled * TOUCHED + i) % LINES * 64]++;
    handled++;
}

static void storm(void)
{
    enum { SIGNALS = 1500 };
    const struct itimerval often = {{0, 150}, {0, 150}}, never = {{0, 0}, {0, 0}};
    long sum = 0;
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < SIGNALS)
        allocate();
    setitimer(ITIMER_REAL, &never, NULL);
    for (long i = 0; i < SIGNALS * TOUCHED; i++)
        sum += lines[i * 64];
    printf("%ld\n", sum);
}

static void places(void)
{
    const char *const first = malloc(1);
    static double a[2000];
    uint64_t hash = 0;
    for (int time = 0; time < 40; time++) {
        const int n = 100 + 40 * time;
#pragma omp parallel for schedule(dynamic, 7)
        for (int i = 0; i < n; i++)
            a[i] += i;
        for (int i = 0; i < n; i++)
            lines[draw(LINES) * 64]++;
        allocate();
        for (int i = 0; i < BLOCKS; i++)
            hash = hash * 31 +
                   (block[i] ? (uint64_t)(block[i] - first) + (unsigned char)*block[i] : 0);
    }
    printf("%016lx %g %d\n", (unsigned long)hash, a[1], lines[64]);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    lines = calloc(LINES, 64);
    if (strcmp(what, "storm") == 0)
        storm();
    if (strcmp(what, "places") == 0)
        places();
    if (strcmp(what, "load") == 0)
        puts(dlopen(argv[2], RTLD_NOW) ? "loaded" : dlerror());
    return 3;
}

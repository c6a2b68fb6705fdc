/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts references by loop.
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

void refcount_access(const void *address, const char *kind)
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

void refcount_enter(void (*body)(void *))
{
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
}

void refcount_leave(void)
{
    current = 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the programs need that valgrind's callgrind counts (../callgrind.py): arrays at addresses
 * that do not change from one program to another, and a count that begins at the kernel with empty
 * caches.
 */
#ifndef POLYBENCH_COUNTED_RUN_H
#define POLYBENCH_COUNTED_RUN_H

#include <stddef.h>
#include <sys/mman.h>
#include <valgrind/callgrind.h>

/* Whole lines after those of the last call, from a fixed address on; NULL: no memory there. */
static inline void *allocate_lines(size_t bytes)
{
    static const size_t room = (size_t)1 << 34;
    static char *begin, *next;
    if (!begin) {
        void *got = mmap((void *)((size_t)1 << 33), room, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == MAP_FAILED)
            return NULL;
        begin = next = got;
    }
    if (bytes > room - (size_t)(next - begin))
        return NULL;
    next += bytes;
    return next - bytes;
}

static inline void release_lines(void *lines)
{
    (void)lines; /* until the program ends */
}

static inline void begin_count(void)
{
    CALLGRIND_START_INSTRUMENTATION; /* which empties the caches */
}

#endif

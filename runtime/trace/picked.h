/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accesses to some of the lines, in each thread's order: what a sampler kept of a region
 * (rt/picks.h), read back by trace/picks_file.h, and what model/lines.h makes interleavings of.
 */
#ifndef PLUSSI_TRACE_PICKED_H
#define PLUSSI_TRACE_PICKED_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_picked_access {
    uint64_t line;
    uint64_t at; /* accesses of the thread before it since the last barrier */
    uint32_t ref;
} plussi_picked_access;

/* Where a loop that is handed out on demand begins or ends for a thread, or one of its chunks
 * begins (rt/picks.h). Ascending; all threads that have a phase have the same loops in it. */
typedef struct plussi_picked_mark {
    uint64_t at;    /* accesses of the thread before it since the last barrier */
    uint64_t chunk; /* its number; or one of these */
} plussi_picked_mark;
#define PLUSSI_PICKED_OPEN (UINT64_MAX - 1)
#define PLUSSI_PICKED_CLOSE UINT64_MAX

/* From barrier to barrier. Equal keys of different threads are the same phase; they ascend. */
typedef struct plussi_picked_phase {
    uint64_t key;
    size_t first, end;           /* of its accesses */
    size_t first_mark, end_mark; /* of its marks */
} plussi_picked_phase;

typedef struct plussi_picked_thread {
    plussi_picked_access *access;
    size_t n;
    plussi_picked_phase *phase;
    size_t n_phases;
    plussi_picked_mark *mark;
} plussi_picked_thread;

typedef struct plussi_picked {
    plussi_mem mem;
    double rate; /* part of the lines that is there, (0, 1] */
    uint32_t team;
    bool marked;                  /* some thread has marks */
    plussi_picked_thread *thread; /* team of them */
    uint32_t n_refs;
    uint64_t *made; /* accesses by reference, of all threads, whether they are here or not */
} plussi_picked;

void plussi_picked_free(plussi_picked *picked);

#endif

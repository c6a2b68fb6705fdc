/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time stamps of a run, read back: when each thread was where (runtime/rt/stamps.h has the
 * format). A run's stamps are read when they are asked for.
 *
 * How they fit the nest. The stamps of a thread come in the order of its execution, and times do
 * not descend. In each parallel construct it has BEGIN, what lies in between, END. A worksharing
 * loop is LOOP, ITER ..., DONE, all of the same loop and execution; a thread without iterations has
 * LOOP and DONE alone. Behind the DONE of a loop that ends with a barrier stand BARRIER and GO,
 * unless the construct ends there (END is then the barrier); explicit barriers and those of
 * singles are BARRIER and GO too. So phases come apart at BARRIER and GO, at FORK, BEGIN and END:
 * what passes between BARRIER and GO, or after END, is waiting. Thread 0's stamps outside of
 * parallel constructs are FORKs: serial code runs between its END and its next FORK.
 *
 * In an ITER stamp iteration begun - 1 of the thread's share begins (counted from 0): begun - 1 are
 * done. In a DONE stamp begun are done. Not every iteration has a stamp. Which iterations the share
 * has follows from the schedule (static), or stands in `chunk`.
 */
#ifndef PLUSSI_TRACE_STAMPED_H
#define PLUSSI_TRACE_STAMPED_H

#include "bound/bound.h"

typedef enum plussi_stamp_kind {
    PLUSSI_STAMP_FORK,    /* thread 0, in serial code: makes the team of a parallel construct */
    PLUSSI_STAMP_BEGIN,   /* begins its part of a parallel construct */
    PLUSSI_STAMP_END,     /* is done with it; then it waits for the others */
    PLUSSI_STAMP_LOOP,    /* comes to a worksharing loop */
    PLUSSI_STAMP_ITER,    /* begins an iteration */
    PLUSSI_STAMP_DONE,    /* its share of the loop is done */
    PLUSSI_STAMP_BARRIER, /* comes to a barrier */
    PLUSSI_STAMP_GO       /* is let go by it */
} plussi_stamp_kind;
enum { PLUSSI_STAMP_KINDS = PLUSSI_STAMP_GO + 1 };

#define PLUSSI_STAMP_NO_LOOP UINT32_MAX

typedef struct plussi_stamp {
    double time; /* nanoseconds since the run's begin */
    uint64_t begun;
    plussi_stamp_kind kind;
    uint32_t loop;      /* its number in the region; NO_LOOP: of no loop */
    uint32_t execution; /* of the loop in this run; FORK, BEGIN, END: of parallel constructs */
} plussi_stamp;

typedef struct plussi_stamped_thread {
    size_t n;
    const plussi_stamp *stamp;
} plussi_stamped_thread;

/* Where a thread was when all were asked. loop: NO_LOOP where it was in none. */
typedef struct plussi_stop_place {
    uint64_t begun;
    uint32_t loop, execution;
} plussi_stop_place;

typedef struct plussi_stop {
    double time;                    /* nanoseconds since the run's begin */
    const plussi_stop_place *place; /* team of them */
} plussi_stop;

typedef struct plussi_stamped_run {
    uint32_t number;   /* in the order in which they began */
    uint32_t block;    /* of the record; UINT32_MAX: it is in none */
    uint32_t team;     /* >= 1 */
    double begin, end; /* nanoseconds since the first run's begin */
    /* What follows is filled in by plussi_stamped_load. */
    const plussi_stamped_thread *thread; /* team of them */
    const plussi_chunk *chunk; /* loop: number in the region; time: execution in this run; those of
                                  each thread in its order */
    size_t n_chunks;
    const plussi_stop *stop; /* by time */
    size_t n_stops;
} plussi_stamped_run;

typedef struct plussi_stamped plussi_stamped;

/* Reads where the blocks are. PLUSS_EIO; PLUSS_EFORMAT, with the byte at fault. The caller frees.
 * O(blocks). */
PLUSS_NODISCARD pluss_status plussi_stamped_open(plussi_ctx *ctx, const char *path,
                                                 plussi_stamped **out);
void plussi_stamped_free(plussi_stamped *stamped); /* NULL is allowed */

/* The runs that ended, in the order of their ends; without stamps. */
size_t plussi_stamped_runs(const plussi_stamped *stamped, const plussi_stamped_run **out);

/* Reads one run, the i-th of these. What *out points to lives until the next load or the end.
 * PLUSS_EIO, PLUSS_ENOMEM; PLUSS_EFORMAT, with the byte at fault, where stamps are not as said
 * above. PLUSS_EINVAL: there is no i-th. O(its stamps). */
PLUSS_NODISCARD pluss_status plussi_stamped_load(plussi_stamped *stamped, size_t i,
                                                 const plussi_stamped_run **out);

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * PLUSS_STAMPS=tsc: when each thread was where, of a program built with mode=time. The file is
 * named after the record, with ".stamps" behind it; it is written to a temporary file beside its
 * place while the program runs and gets its name when the record does. Everything in it is in the
 * machine's own byte order:
 *
 *     char     magic[16]          "pluss-stamps 1\n" and zeros
 *     blocks                      each a plussi_stamps_head, and behind it:
 *         PLUSSI_STAMPS_TIMES     n times plussi_stamp_item: a thread's stamps, in their order
 *         PLUSSI_STAMPS_CHUNKS    n times plussi_stamps_chunk: who executed which iterations of the
 *                                 loops that are handed out on demand, in the thread's order
 *         PLUSSI_STAMPS_STOPS     n rows, each a uint64_t time and `thread` (the team) times
 *                                 plussi_stop_item: where all threads were at that time
 *         PLUSSI_STAMPS_RUN       nothing; n is the number of the run's region block in the record,
 *                                 or UINT32_MAX where it could not be kept
 *         PLUSSI_STAMPS_CLOCK     nothing; the last block: `from` and `to` are ticks, n, run and
 *                                 thread as below
 *
 * Ticks are those of the processor's time stamp counter (elsewhere nanoseconds); counters of one
 * machine's processors are taken to agree. What a tick lasts was measured against CLOCK_MONOTONIC
 * from the first run to the end: CLOCK has the ticks of both, and the nanoseconds that passed in
 * between as run + 2^32 thread.
 *
 * Of a run come its TIMES (for each thread one or more blocks, in their order), its CHUNKS, its
 * STOPS, then its RUN, whose `thread` is the team, `from` and `to` begin and end. `from` and `to`
 * of other blocks are those of their first and last entry; those of CHUNKS are 0.
 *
 * Iterations are counted for each thread, from the beginning of its share of one execution of a
 * loop. Each that takes more than about a microsecond is stamped; of shorter ones every n-th, where
 * n follows their length and the first are stamped one by one.
 */
#ifndef PLUSSI_RT_STAMPS_H
#define PLUSSI_RT_STAMPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PLUSSI_STAMPS_TIMES = 1,
    PLUSSI_STAMPS_CHUNKS = 2,
    PLUSSI_STAMPS_STOPS = 3,
    PLUSSI_STAMPS_RUN = 4,
    PLUSSI_STAMPS_CLOCK = 5
};

/* What a thread did at the time. Record's reader has the same, in the same order. */
enum {
    PLUSSI_RT_STAMP_FORK,  /* thread 0, in serial code: makes the team of a parallel construct */
    PLUSSI_RT_STAMP_BEGIN, /* begins its part of a parallel construct */
    PLUSSI_RT_STAMP_END,   /* is done with it; then it waits for the others */
    PLUSSI_RT_STAMP_LOOP,  /* comes to a worksharing loop */
    PLUSSI_RT_STAMP_ITER,  /* begins an iteration, the begun-th of its share */
    PLUSSI_RT_STAMP_DONE,  /* its share of the loop is done; before the barrier, if there is one */
    PLUSSI_RT_STAMP_BARRIER, /* comes to a barrier, which may be a loop's */
    PLUSSI_RT_STAMP_GO,      /* is let go by it */
    PLUSSI_RT_STAMP_KINDS
};

#define PLUSSI_STAMPS_NO_LOOP UINT32_MAX

typedef struct plussi_stamps_head {
    uint32_t kind, n;
    uint32_t run, thread; /* runs by number, from 0 in the order in which they began */
    uint64_t from, to;
} plussi_stamps_head;

/* kind is in the upper 8 bits of kind_loop, the loop's number in the region in the lower 24 (all
 * ones: none). execution: which execution of the loop in that run, from 0, as the thread counts
 * them; of FORK, BEGIN and END which parallel construct of the run, from 0. begun: iterations of
 * its share of this execution that the thread has begun, this one included. */
typedef struct plussi_stamp_item {
    uint64_t time, begun;
    uint32_t kind_loop, execution;
} plussi_stamp_item;

typedef struct plussi_stamps_chunk {
    uint32_t loop, execution;
    uint64_t lo, hi; /* iterations [lo, hi), as the record has them */
} plussi_stamps_chunk;

/* loop: PLUSSI_STAMPS_NO_LOOP where the thread was in none, or between two. */
typedef struct plussi_stop_item {
    uint64_t begun;
    uint32_t loop, execution;
} plussi_stop_item;

#endif

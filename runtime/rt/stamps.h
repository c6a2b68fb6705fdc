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
 *         PLUSSI_STAMPS_CHUNKS    n times plussi_rt_chunk (rt/record.h), in the thread's order
 *         PLUSSI_STAMPS_STOPS     n rows: a uint64_t time, a plussi_stop_item for each thread
 *         PLUSSI_STAMPS_RUN       nothing
 *         PLUSSI_STAMPS_CLOCK     nothing; the last block
 *
 * TIMES tell where a thread was when, CHUNKS which iterations it executed of the loops that are
 * handed out on demand, STOPS where all threads were at a time (`thread` of the head is the team).
 * n of a RUN is the number of its region block in the record, or UINT32_MAX where it could not be
 * kept, or some of its stamps could not.
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
 * loop. Each that takes more than some microseconds is stamped; of shorter ones every n-th, where
 * n follows their length and the first are stamped one by one.
 */
#ifndef PLUSSI_RT_STAMPS_H
#define PLUSSI_RT_STAMPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/record.h"

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

/* loop: PLUSSI_STAMPS_NO_LOOP where the thread was in none, or between two. */
typedef struct plussi_stop_item {
    uint64_t begun;
    uint32_t loop, execution;
} plussi_stop_item;

/* ---- stamps.c ---------------------------------------------------------------------------------
 *
 * A thread's stamps of one run lie in buffers of its own until the run ends; only then is there a
 * lock. */
typedef struct plussi_stamps_buffer plussi_stamps_buffer;

typedef struct plussi_stamps {
    /* Where the thread is; read by others (stops.c), written by it alone. */
    atomic_uint_fast64_t begun;
    atomic_uint loop, execution;
    uint64_t next;         /* begun at which the next iteration is stamped */
    uint64_t stride, last; /* iterations from stamp to stamp; time of the last one */
    uint32_t run, thread;
    uint64_t n;       /* stamps so far */
    atomic_bool lost; /* some of them: no memory, or too many */
    _Atomic(plussi_stamps_buffer *) first;
    plussi_stamps_buffer *end;
    uint32_t *times; /* by loop, how often it came to it */
    size_t n_times;
} plussi_stamps;

/* Reads the environment, once; false: nothing is to be stamped, or the file cannot be written. */
bool plussi_stamps_wanted(void);
plussi_stamps *plussi_stamps_new(uint32_t run, uint32_t thread); /* NULL: no memory */
void plussi_stamps_free(plussi_stamps *stamps);                  /* NULL is allowed */

/* FORK, BEGIN, END of the time-th parallel construct. */
void plussi_stamps_team(plussi_stamps *stamps, uint32_t kind, uint32_t time);
/* LOOP, DONE, BARRIER, GO. */
void plussi_stamps_mark(plussi_stamps *stamps, uint32_t kind, uint32_t loop);
void plussi_stamps_due(plussi_stamps *stamps); /* begun has reached next */

/* To be called with nothing else being written: a run's end, in this order. What a thread that is
 * still at it adds is not written. */
void plussi_stamps_write(const plussi_stamps *stamps);
void plussi_stamps_chunks(uint32_t run, uint32_t thread, const plussi_rt_chunk *chunk, size_t n);
void plussi_stamps_stops(uint32_t run, uint32_t team, const void *rows,
                         size_t n); /* as in the file */
void plussi_stamps_run(uint32_t run, uint32_t block, uint32_t team, uint64_t from, uint64_t to);

/* Gives the file its name. 0 or an errno; then there is no file. */
int plussi_stamps_finish(void);
void plussi_stamps_forget(void); /* in a child process */

/* ---- stops.c ----------------------------------------------------------------------------------
 *
 * PLUSS_STOPS=100us: at this interval (units ns, us, ms, s), while a run lasts, a timer's signal
 * (SIGPROF) notes where all of its threads are. They are not stopped for it: what is read is one
 * word a thread, in far less time than an iteration takes. One run at a time is looked at. */

/* The stamps of thread k of a run, NULL: it has none (yet); called in a signal handler. */
typedef const plussi_stamps *plussi_stops_thread(const void *run, uint32_t k);

/* Stops of this run from here on, if any are wanted and no other run has them. *team: how many
 * threads it has so far. */
void plussi_stops_begin(const void *run, plussi_stops_thread *thread, const atomic_uint *team);
/* No more of them; and writes what there is, if `write`. Nothing where the run has none. */
void plussi_stops_end(const void *run, uint32_t number, uint32_t team, bool write);
void plussi_stops_forget(void); /* in a child process */

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * PLUSS_STAMPS=tsc: when each thread was where, of a program built with mode=time. Each iteration
 * that takes more than some microseconds is stamped; of shorter ones every n-th, where n follows
 * their length and the first are stamped one by one. What a tick lasts is measured against
 * CLOCK_MONOTONIC from the first run to the end.
 *
 * A run's STAMPS, CHUNKS and STOPS come first, then its RUN (trace/format.h).
 */
#ifndef PLUSSI_RT_STAMPS_H
#define PLUSSI_RT_STAMPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

/* ---- stamps.c ---------------------------------------------------------------------------------
 *
 * A thread's stamps of one run are in buffers of its own until the run ends; only then is there a
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
bool plussi_stamps_enabled(void);
plussi_stamps *plussi_stamps_new(uint32_t run, uint32_t thread); /* NULL: no memory */
void plussi_stamps_free(plussi_stamps *stamps);                  /* NULL is allowed */

/* FORK, BEGIN, END of the time-th parallel construct. */
void plussi_stamps_team(plussi_stamps *stamps, uint32_t kind, uint32_t time);
/* LOOP, DONE, BARRIER, GO. */
void plussi_stamps_mark(plussi_stamps *stamps, uint32_t kind, uint32_t loop);
void plussi_stamps_due(plussi_stamps *stamps); /* begun has reached next */

/* At a run's end, in this order. What a thread that is still at it adds is not written. */
void plussi_stamps_write(const plussi_stamps *stamps);
void plussi_stamps_chunks(uint32_t run, uint32_t thread, const plussi_chunk_entry *chunk, size_t n);

/* What a tick lasted; the last of all sections of stamps. Nothing where none were wanted. */
void plussi_stamps_clock(void);
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

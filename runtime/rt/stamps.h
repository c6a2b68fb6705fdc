/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * PLUSS_STAMPS=tsc: the positions of each thread over time, for a program built with mode=time.
 * Each iteration longer than a few microseconds is stamped; of shorter ones every n-th, with n
 * adapted to their length; the first ones are stamped one by one. The length of a tick is measured
 * against CLOCK_MONOTONIC from the first run to the end.
 *
 * The STAMPS, CHUNKS and STOPS of a run come before its RUN (trace/format.h).
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
 * The stamps of a thread in a run are in its own buffers until the run ends; only then a lock is
 * taken. */
typedef struct plussi_stamps_buffer plussi_stamps_buffer;

typedef struct plussi_stamps {
    /* Position of the thread; others read it (stops.c), only the thread writes it. */
    atomic_uint_fast64_t begun;
    atomic_uint loop, execution;
    uint64_t next;         /* value of begun at the next stamp */
    uint64_t stride, last; /* iterations between stamps; time of the last one */
    uint32_t run, thread;
    uint64_t n;       /* stamps so far */
    atomic_bool lost; /* some were lost: out of memory, or too many */
    _Atomic(plussi_stamps_buffer *) first;
    plussi_stamps_buffer *end;
    uint32_t *times; /* by loop, number of its executions */
    size_t n_times;
} plussi_stamps;

/* Reads the environment, once; false: no stamps are wanted, or the file cannot be written. */
bool plussi_stamps_enabled(void);
plussi_stamps *plussi_stamps_new(uint32_t run, uint32_t thread); /* NULL: no memory */
void plussi_stamps_free(plussi_stamps *stamps);                  /* NULL is allowed */

/* FORK, BEGIN, END of parallel construct number `time`. */
void plussi_stamps_team(plussi_stamps *stamps, uint32_t kind, uint32_t time);
/* LOOP, DONE, BARRIER, GO. */
void plussi_stamps_mark(plussi_stamps *stamps, uint32_t kind, uint32_t loop);
void plussi_stamps_due(plussi_stamps *stamps); /* called when begun reaches next */

/* At the end of a run, in this order. What a running thread still adds is not written. */
void plussi_stamps_write(const plussi_stamps *stamps);
void plussi_stamps_chunks(uint32_t run, uint32_t thread, const plussi_chunk_entry *chunk, size_t n);

/* Writes the length of a tick, after all sections of stamps; nothing if no stamps were wanted. */
void plussi_stamps_clock(void);
void plussi_stamps_forget(void); /* in a child process */

/* ---- stops.c ----------------------------------------------------------------------------------
 *
 * PLUSS_STOPS=100us: at this interval (units ns, us, ms, s), while a run lasts, a timer's signal
 * (SIGPROF) notes the positions of all of its threads, without stopping them: it reads one word a
 * thread, much faster than an iteration. One run at a time is observed. */

/* The stamps of thread k of a run, NULL: none (yet); called in a signal handler. */
typedef const plussi_stamps *plussi_stops_thread(const void *run, uint32_t k);

/* Starts the stops of this run, if any are wanted and no other run has them. *team: its number of
 * threads so far. */
void plussi_stops_begin(const void *run, plussi_stops_thread *thread, const atomic_uint *team);
/* Ends them, and writes them if `write`. Does nothing if the run has none. */
void plussi_stops_end(const void *run, uint32_t number, uint32_t team, bool write);
void plussi_stops_forget(void); /* in a child process */

#endif

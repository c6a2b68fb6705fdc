/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time stamp reader: the positions of each thread of a run over time.
 *
 * The stamps of a thread are in the order of its execution, and times do not descend. In each
 * parallel construct it has BEGIN, the stamps within, END. A worksharing loop is LOOP, ITER ...,
 * DONE, all of the same loop and execution; a thread without iterations has only LOOP and DONE.
 * After the DONE of a loop that ends with a barrier come BARRIER and GO, unless the construct ends
 * there (END is then the barrier); explicit barriers and those of singles are BARRIER and GO, too.
 * So phases are separated by BARRIER and GO, and by FORK, BEGIN and END: time between BARRIER and
 * GO, or after END, is waiting. Thread 0's stamps outside of parallel constructs are FORKs: serial
 * code runs between its END and its next FORK.
 *
 * At an ITER stamp iteration begun - 1 of the thread's iteration set begins (counted from 0): begun
 * - 1 are done. At a DONE stamp begun are done. Not every iteration has a stamp. The iteration set
 * follows from the schedule (static), or is in `chunk`.
 */
#ifndef PLUSSI_TRACE_TIMED_RUN_H
#define PLUSSI_TRACE_TIMED_RUN_H

#include "bound/bound.h"
#include "trace/trace_reader.h"

typedef struct plussi_stamp {
    double time; /* nanoseconds since the start of the run */
    uint64_t begun;
    plussi_stamp_kind kind;
    uint32_t loop;      /* number in the region; PLUSSI_NO_LOOP: none */
    uint32_t execution; /* of the loop in this run; FORK, BEGIN, END: of the parallel construct */
} plussi_stamp;

typedef struct plussi_timed_thread {
    size_t n;
    const plussi_stamp *stamp;
} plussi_timed_thread;

/* The positions of all threads at a tick of a timer. */
typedef struct plussi_stop {
    double time;                    /* nanoseconds since the start of the run */
    const plussi_stop_place *place; /* team of them */
} plussi_stop;

typedef struct plussi_timed_run {
    uint32_t number;                   /* in order of their starts */
    uint32_t block;                    /* of the record; UINT32_MAX: none */
    uint32_t team;                     /* >= 1 */
    double begin, end;                 /* nanoseconds since the start of the first timed run */
    const plussi_timed_thread *thread; /* team of them */
    const plussi_chunk *chunk; /* loop: number in the region; time: execution in this run; those of
                                  each thread in its order */
    size_t n_chunks;
    const plussi_stop *stop; /* by time */
    size_t n_stops;
} plussi_timed_run;

/* Reads one of the trace's timed runs. The data that *out points to is valid until the next run is
 * read or the trace is closed. PLUSS_EIO, PLUSS_ENOMEM; PLUSS_EFORMAT, with the byte at fault, if
 * stamps violate these rules. O(its stamps). */
PLUSS_NODISCARD pluss_status plussi_timed_run_read(plussi_trace_reader *trace,
                                                   const plussi_trace_run *run,
                                                   plussi_timed_run *out);

#endif

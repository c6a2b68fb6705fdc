/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The sidecar file of a record: what happened when, in binary, beside the text of what happened
 * (docs/record-format.md). Its name is the record's and PLUSSI_TRACE_SUFFIX. libpluss-rt writes it
 * (rt/sidecar.h), the trace reader reads it (trace/trace_reader.h).
 *
 * In the machine's own byte order: a plussi_trace_head, then sections to the end of the file, each
 * a plussi_trace_section and after it its n entries of `size` bytes. Sections of one kind, run and
 * thread are in their order; those of different ones in any.
 *
 *     kind      entries                 run, thread; from, to
 *     RUN       plussi_run_entry, one   a region's run that has ended; its team; begin and end
 *     TOUCHES   uint64_t                lines that the thread touched; ticks around them
 *     STAMPS    plussi_stamp_entry      where the thread was when; first and last time
 *     CHUNKS    plussi_chunk_entry      what it executed of dispatched loops; 0, 0
 *     STOPS     plussi_stop_row         where all threads were; 0; first and last time
 *     CLOCK     uint64_t, one           nanoseconds from tick `from` to tick `to`; 0, 0
 *     MADE      uint64_t                accesses of the simulated thread, by reference; 0, 0
 *     PHASES    plussi_sampled_phase    of the simulated thread; 0, 0
 *     SAMPLED   plussi_sampled_access   its accesses to the lines whose hash is at most `to`
 *     MARKS     plussi_chunk_mark       where its chunks begin; 0, 0
 *
 * Runs are numbered from 0 in the order in which they began. The last four kinds are of a sampled
 * trace (rt/sampled_thread.h): `run` is the number of a block of the record there, of whose first
 * run it is.
 *
 * Ticks are those of the processor's time stamp counter (elsewhere nanoseconds); counters of one
 * machine's processors are taken to agree.
 */
#ifndef PLUSSI_TRACE_FORMAT_H
#define PLUSSI_TRACE_FORMAT_H

#include <stdint.h>

/* The version of a record and its sidecar file, which are read by the version that wrote them. */
#define PLUSSI_RECORD_VERSION 2
#define PLUSSI_TRACE_SUFFIX ".trace"
#define PLUSSI_TRACE_MAGIC "pluss-trace\n" /* and zeros */

typedef struct plussi_trace_head {
    char magic[16];
    uint32_t version, line_bytes;
} plussi_trace_head;

typedef enum plussi_trace_section_kind {
    PLUSSI_SECTION_RUN = 1,
    PLUSSI_SECTION_TOUCHES,
    PLUSSI_SECTION_STAMPS,
    PLUSSI_SECTION_CHUNKS,
    PLUSSI_SECTION_STOPS,
    PLUSSI_SECTION_CLOCK,
    PLUSSI_SECTION_MADE,
    PLUSSI_SECTION_PHASES,
    PLUSSI_SECTION_SAMPLED,
    PLUSSI_SECTION_MARKS,
    PLUSSI_SECTION_KINDS
} plussi_trace_section_kind;

typedef struct plussi_trace_section {
    uint32_t kind, size;
    uint64_t n;
    uint32_t run, thread;
    uint64_t from, to;
} plussi_trace_section;

/* block: of the record, which has this run in it; UINT32_MAX: none could be kept, or some of its
 * time stamps were lost. timed: 1: it has time stamps, and no touches. */
typedef struct plussi_run_entry {
    uint32_t block, timed;
} plussi_run_entry;

enum { PLUSSI_TOUCHES_MOST = 1024 /* entries of a section */ };

/* ---- time stamps ------------------------------------------------------------------------------
 *
 * Iterations are counted for each thread, from the beginning of its iteration set of one execution
 * of a loop. */

typedef enum plussi_stamp_kind {
    PLUSSI_STAMP_FORK,  /* thread 0, in serial code: makes the team of a parallel construct */
    PLUSSI_STAMP_BEGIN, /* begins its part of a parallel construct */
    PLUSSI_STAMP_END,   /* is done with it; then it waits for the others */
    PLUSSI_STAMP_LOOP,  /* comes to a worksharing loop */
    PLUSSI_STAMP_ITER,  /* begins an iteration, the begun-th of its iteration set */
    PLUSSI_STAMP_DONE, /* its iteration set of the loop is done; before the barrier, if there is one
                        */
    PLUSSI_STAMP_BARRIER, /* comes to a barrier, which may be a loop's */
    PLUSSI_STAMP_GO,      /* is let go by it */
    PLUSSI_STAMP_KINDS
} plussi_stamp_kind;

/* kind_loop: the kind in the upper 8 bits, the loop's number in the region in the others (all ones:
 * none). execution: of the loop in that run, from 0, as the thread counts them; of FORK, BEGIN and
 * END which parallel construct of the run. begun: iterations of its iteration set of this execution
 * that the thread has begun, this one included. */
typedef struct plussi_stamp_entry {
    uint64_t time, begun;
    uint32_t kind_loop, execution;
} plussi_stamp_entry;
enum { PLUSSI_STAMP_LOOP_BITS = 24 };

/* Iterations [lo, hi) of the time-th execution of a worksharing loop, by one thread. */
typedef struct plussi_chunk_entry {
    uint32_t loop, time;
    uint64_t lo, hi;
} plussi_chunk_entry;

#define PLUSSI_NO_LOOP UINT32_MAX

/* loop: PLUSSI_NO_LOOP where the thread was in none, or between two. */
typedef struct plussi_stop_place {
    uint64_t begun;
    uint32_t loop, execution;
} plussi_stop_place;

typedef struct plussi_stop_row {
    uint64_t time;
    plussi_stop_place place[]; /* by thread of the run's team */
} plussi_stop_row;

/* ---- sampled traces ---------------------------------------------------------------------------
 */

enum { PLUSSI_SAMPLED_REF_BITS = 20 /* the numbers of references */ };

typedef struct plussi_sampled_access {
    uint64_t line;
    uint64_t at; /* accesses of the thread in this phase before it, << REF_BITS | reference */
} plussi_sampled_access;

/* The marks of a thread in a phase: loop after loop OPEN, its chunks in ascending order, CLOSE.
 * Where a loop is closed, or a chunk begins, the chunk before ends. All threads of a team meet the
 * same loops. A thread that has no section of marks had too many for all to be kept. */
typedef struct plussi_chunk_mark {
    uint64_t at;    /* accesses of the thread in this phase before it */
    uint64_t chunk; /* its number in the loop; or one of these */
} plussi_chunk_mark;
#define PLUSSI_MARK_OPEN (UINT64_MAX - 1)
#define PLUSSI_MARK_CLOSE UINT64_MAX

/* From barrier to barrier. Threads of a team meet the same phases, or none of a parallel region
 * that they are no members of; keys ascend, and say which phases are one. */
typedef struct plussi_sampled_phase {
    uint64_t key;
    uint64_t first;      /* of its accesses, which reach to the next phase's */
    uint64_t first_mark; /* likewise */
} plussi_sampled_phase;

#endif

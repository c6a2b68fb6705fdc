/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The sidecar file of a record: binary data of the run (docs/record-format.md). Its name is the
 * record's followed by PLUSSI_TRACE_SUFFIX. libpluss-rt writes it (rt/sidecar.h), the trace reader
 * reads it (trace/trace_reader.h).
 *
 * In the byte order of the machine: a plussi_trace_head, then sections up to the end of the file,
 * each a plussi_trace_section followed by its n entries of `size` bytes. Sections of the same kind,
 * run and thread are in order of time; those of different ones in any order.
 *
 *     kind      entries                 run, thread; from, to
 *     RUN       plussi_run_entry, one   a completed run of a region; its team; begin and end
 *     TOUCHES   uint64_t                what the thread touched (plussi_touch_entry); ticks around
 *     STAMPS    plussi_stamp_entry      positions of the thread; first and last time
 *     CHUNKS    plussi_chunk_entry      chunks of dynamic loops that it executed; 0, 0
 *     STOPS     plussi_stop_row         positions of all threads; 0; first and last time
 *     CLOCK     uint64_t, one           nanoseconds from tick `from` to tick `to`; 0, 0
 *     MADE      uint64_t                accesses of the simulated thread, by reference; 0, 0
 *     PHASES    plussi_sampled_phase    of the simulated thread; 0, 0
 *     SAMPLED   plussi_sampled_access   its accesses to the lines whose hash is at most `to`
 *     MARKS     plussi_chunk_mark       starts of its chunks; 0, 0
 *     ORDER     plussi_ordered_run      all runs in the order of their ends, one section; 0, 0
 *     LINES     plussi_ordered_line     what they touch, one section or none; 0, 0
 *
 * Runs are numbered from 0 in the order of their start. MADE to MARKS are a sampled trace
 * (rt/sampled_thread.h): `run` is the number of a block of the record, and the trace is of that
 * block's first run. ORDER and LINES (rt/run_order.h) are of the lines whose hash
 * (base/line_sample.h) is at most `to`, one in a power of two.
 *
 * Ticks are those of the processor's time stamp counter (without one, nanoseconds); the counters of
 * all processors are assumed to agree.
 */
#ifndef PLUSSI_TRACE_FORMAT_H
#define PLUSSI_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line_sample.h"

/* The version of a record and its sidecar file. A record can only be read by the version that wrote
 * it. */
#define PLUSSI_RECORD_VERSION 3
#define PLUSSI_TRACE_SUFFIX ".trace"
/* The name of the region that stands for what the program's first thread does outside of regions;
 * it has no file. */
#define PLUSSI_SERIAL_PARTS "serial parts"
#define PLUSSI_TRACE_MAGIC "pluss-trace\n" /* padded with zeros */

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
    PLUSSI_SECTION_ORDER,
    PLUSSI_SECTION_LINES,
    PLUSSI_SECTION_KINDS
} plussi_trace_section_kind;

typedef struct plussi_trace_section {
    uint32_t kind, size;
    uint64_t n;
    uint32_t run, thread;
    uint64_t from, to;
} plussi_trace_section;

/* block: of the record, with this run in it; UINT32_MAX: there is none, or some of its time stamps
 * were lost. timed: 1: it has time stamps and no touches. */
typedef struct plussi_run_entry {
    uint32_t block, timed;
} plussi_run_entry;

enum { PLUSSI_TOUCHES_MOST = 1024 /* entries of a section */ };

/* A touch in 64 bits: the line; from bit 44 on the byte of the line where the access begins; from
 * bit 50 on its reference, plus 1. All above the line is 0 where one of them has no room there:
 * then the line may have 50 bits, and what touched it is not known. */
enum {
    PLUSSI_TOUCH_BYTE_AT = 44,
    PLUSSI_TOUCH_REF_AT = 50,
    PLUSSI_TOUCH_REF_MOST = (1 << (64 - PLUSSI_TOUCH_REF_AT)) - 2
};

static inline uint64_t plussi_touch_entry(uint64_t line, uint64_t byte, uint32_t ref)
{
    if (line >> PLUSSI_TOUCH_BYTE_AT || byte >> (PLUSSI_TOUCH_REF_AT - PLUSSI_TOUCH_BYTE_AT) ||
        ref > PLUSSI_TOUCH_REF_MOST)
        return line & ((UINT64_C(1) << PLUSSI_TOUCH_REF_AT) - 1);
    return line | byte << PLUSSI_TOUCH_BYTE_AT | (ref + UINT64_C(1)) << PLUSSI_TOUCH_REF_AT;
}

/* The line; *byte and *ref: UINT32_MAX where they are not known. */
static inline uint64_t plussi_touch_line(uint64_t entry, uint32_t *byte, uint32_t *ref)
{
    const uint64_t of = entry >> PLUSSI_TOUCH_REF_AT, rest = entry >> PLUSSI_TOUCH_BYTE_AT;
    *ref = of ? (uint32_t)of - 1 : UINT32_MAX;
    *byte = of ? rest & 63 : UINT32_MAX;
    return of ? entry & ((UINT64_C(1) << PLUSSI_TOUCH_BYTE_AT) - 1) : entry;
}

/* ---- time stamps ------------------------------------------------------------------------------
 *
 * Iterations are counted for each thread, from the start of its iteration set of one execution of a
 * loop. */

typedef enum plussi_stamp_kind {
    PLUSSI_STAMP_FORK,    /* thread 0, in serial code: starts a parallel construct */
    PLUSSI_STAMP_BEGIN,   /* begins a parallel construct */
    PLUSSI_STAMP_END,     /* has finished it, and then waits for the others */
    PLUSSI_STAMP_LOOP,    /* reaches a worksharing loop */
    PLUSSI_STAMP_ITER,    /* begins an iteration, number `begun` of its iteration set */
    PLUSSI_STAMP_DONE,    /* has finished its iteration set; before the barrier, if there is one */
    PLUSSI_STAMP_BARRIER, /* reaches a barrier, which may be a loop's */
    PLUSSI_STAMP_GO,      /* leaves the barrier */
    PLUSSI_STAMP_KINDS
} plussi_stamp_kind;

/* kind_loop: the kind in the upper 8 bits, the loop's number in the region in the others (all ones:
 * none). execution: of the loop in the run, from 0, counted by the thread; for FORK, BEGIN and END
 * number of the parallel construct in the run. begun: number of iterations in its iteration set of
 * this execution that the thread has begun, including this one. */
typedef struct plussi_stamp_entry {
    uint64_t time, begun;
    uint32_t kind_loop, execution;
} plussi_stamp_entry;
enum { PLUSSI_STAMP_LOOP_BITS = 24 };

/* Iterations [lo, hi) of execution number `time` of a worksharing loop, by one thread. */
typedef struct plussi_chunk_entry {
    uint32_t loop, time;
    uint64_t lo, hi;
} plussi_chunk_entry;

#define PLUSSI_NO_LOOP UINT32_MAX

/* loop: PLUSSI_NO_LOOP if the thread was in none, or between two. */
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

enum { PLUSSI_SAMPLED_REF_BITS = 20 /* bits of a reference's number */ };

typedef struct plussi_sampled_access {
    uint64_t line;
    uint64_t at; /* earlier accesses of the thread in this phase, << REF_BITS | reference */
} plussi_sampled_access;

/* The marks of a thread in a phase: for each loop OPEN, its chunks in ascending order, CLOSE. A
 * chunk ends where the next one begins or the loop is closed. All threads of a team have the same
 * loops. A thread without a section of marks had too many to keep. */
typedef struct plussi_chunk_mark {
    uint64_t at;    /* earlier accesses of the thread in this phase */
    uint64_t chunk; /* number in the loop; or one of these */
} plussi_chunk_mark;
#define PLUSSI_MARK_OPEN (UINT64_MAX - 1)
#define PLUSSI_MARK_CLOSE UINT64_MAX

/* From barrier to barrier. The threads of a team have the same phases, or none in a parallel region
 * that they do not execute; keys ascend, and equal keys are the same phase. */
typedef struct plussi_sampled_phase {
    uint64_t key;
    uint64_t first;      /* index of its first access; its accesses end with the next phase's */
    uint64_t first_mark; /* likewise */
} plussi_sampled_phase;

/* ---- the order of runs -------------------------------------------------------------------------
 */

#define PLUSSI_NO_PLACE UINT32_MAX
#define PLUSSI_PIECE (UINT32_MAX - 1)
#define PLUSSI_AROUND (UINT32_MAX - 2)
#define PLUSSI_ORDER_DESCRIBED UINT64_MAX
#define PLUSSI_ORDER_TEAMS ((uint64_t)1 << 63)
enum { PLUSSI_ORDERED_RUNS = 1 << 18, PLUSSI_ORDERED_LINES = 1 << 20 /* kept at most */ };

/* `times` runs in a row, >= 1. block: of the record. place: its placement, of a run of
 * which the values are recorded; else, or where it is not known, NO_PLACE. lines: the next of LINES
 * are this one run's; ORDER_DESCRIBED: its description tells them.
 *
 * Where other runs are nested in one, it is there in pieces: what it did before each of them, with
 * PIECE in place of a placement, and as the run what it did after the last one. `times` of a piece
 * is how many entries its run comes after it; 0: the run is not there, and the block not known. Of
 * one whose description tells the lines, `lines` is ORDER_TEAMS + the number of parallel constructs
 * that it had begun, all of them in the run's own entry: the piece ends before the next one. Where
 * others were nested inside of a parallel construct, the run has AROUND in place of a placement,
 * and ORDER_DESCRIBED: what it did before each of them is not known. */
typedef struct plussi_ordered_run {
    uint32_t block, place;
    uint64_t times, lines;
} plussi_ordered_run;

/* A run's lines are in the order of their first touches, each once; last: ascends in the order of
 * the last ones. */
typedef struct plussi_ordered_line {
    uint64_t line, last;
} plussi_ordered_line;

/* Whether a description tells the lines. */
static inline bool plussi_is_described(const plussi_ordered_run *run)
{
    return run->lines >= PLUSSI_ORDER_TEAMS;
}

/* Whether it tells them up to a number of parallel constructs, and that number. */
static inline bool plussi_is_by_teams(const plussi_ordered_run *run)
{
    return plussi_is_described(run) && run->lines != PLUSSI_ORDER_DESCRIBED;
}
static inline uint64_t plussi_teams_begun(const plussi_ordered_run *run)
{
    return run->lines - PLUSSI_ORDER_TEAMS;
}

/* Lines of the entry in LINES. */
static inline uint64_t plussi_told_lines(const plussi_ordered_run *run)
{
    return plussi_is_described(run) ? 0 : run->lines;
}

/* Leaves those of the n lines whose hash is up to the threshold, in their order; returns how many.
 * O(n). */
static inline size_t plussi_thin_lines(plussi_ordered_line *to, const plussi_ordered_line *from,
                                       uint64_t n, uint64_t threshold)
{
    size_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        if (plussi_line_hash(from[i].line) <= threshold)
            to[kept++] = from[i];
    return kept;
}

/* The same for the lines of n runs, whose numbers of lines change. O(lines). */
static inline size_t plussi_thin_runs(plussi_ordered_run *run, size_t n, plussi_ordered_line *line,
                                      uint64_t threshold)
{
    const plussi_ordered_line *from = line;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t lines = plussi_told_lines(&run[i]);
        if (!lines)
            continue;
        run[i].lines = plussi_thin_lines(line + kept, from, lines, threshold);
        from += lines;
        kept += run[i].lines;
    }
    return kept;
}

#endif

/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * PLUSS_INTERLEAVE=tsc: which lines each thread touched when. The file is named after the record,
 * with ".tsc" behind it; it is written to a temporary file beside its place while the program runs
 * and gets its name when the record does. Everything in it is in the machine's own byte order:
 *
 *     char     magic[16]         "pluss-trace 1\n" and zeros
 *     uint32_t line, reserved    bytes of a line; 0
 *     blocks                     each a plussi_trace_head, and behind it:
 *         PLUSSI_TRACE_LINES     n numbers of lines, uint64_t, in the order of their touches
 *         PLUSSI_TRACE_RUN       nothing; n is the number of the run's region block in the record,
 *                                or UINT32_MAX where it could not be kept
 *
 * A block of lines is cut when it is full, and wherever its thread meets others: at the start and
 * the end of its part of a parallel region, and of worksharing loops. `from` is the time before its
 * first touch, `to` that behind its last one, by the processor's time stamp counter (elsewhere
 * nanoseconds); counters of one machine's processors are taken to agree. Blocks of one thread of a
 * run come in their order; blocks of different threads come in any. A run's PLUSSI_TRACE_RUN comes
 * behind its blocks; `thread` of it is the team, `from` and `to` its begin and end. Touches have
 * the order that the record's intervals count: one of a line that an access straddles is there for
 * each line.
 */
#ifndef PLUSSI_RT_TRACE_H
#define PLUSSI_RT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLUSSI_TRACE_LINES = 1, PLUSSI_TRACE_RUN = 2 };
enum { PLUSSI_TRACE_BLOCK = 1024 }; /* lines at most */

typedef struct plussi_trace_head {
    uint32_t kind, n;
    uint32_t run, thread; /* runs by number, from 0 in the order in which they began */
    uint64_t from, to;
} plussi_trace_head;

/* One thread's of one run. */
typedef struct plussi_trace {
    plussi_trace_head head;
    uint64_t line[PLUSSI_TRACE_BLOCK];
} plussi_trace;

/* Reads the environment, once; false: nothing is to be traced, or the file cannot be written. */
bool plussi_trace_wanted(void);
plussi_trace *plussi_trace_new(uint32_t run, uint32_t thread); /* NULL: no memory */
void plussi_trace_line(plussi_trace *trace, uint64_t line);
void plussi_trace_cut(plussi_trace *trace);
uint64_t plussi_trace_now(void);
/* A run has ended; its threads' blocks are cut. */
void plussi_trace_run(uint32_t run, uint32_t block, uint32_t team, uint64_t from, uint64_t to);
/* Gives the file its name. 0 or an errno; then there is no file. */
int plussi_trace_finish(void);
void plussi_trace_forget(void); /* in a child process */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sampled trace: the accesses to a sample of the lines, in each thread's order, that a sampler
 * recorded for a block of the record (rt/sampled_thread.h); model/lines.h makes interleavings of
 * them.
 */
#ifndef PLUSSI_TRACE_SAMPLED_TRACE_H
#define PLUSSI_TRACE_SAMPLED_TRACE_H

#include "trace/recorded.h"

typedef struct plussi_trace_access {
    uint64_t line;
    uint64_t at; /* earlier accesses of the thread since the last barrier */
    uint32_t ref;
} plussi_trace_access;

/* From barrier to barrier. Equal keys of different threads are the same phase; they ascend. */
typedef struct plussi_trace_phase {
    uint64_t key;
    size_t first, end;           /* of its accesses */
    size_t first_mark, end_mark; /* of its marks */
} plussi_trace_phase;

typedef struct plussi_trace_thread {
    plussi_trace_access *access;
    size_t n;
    plussi_trace_phase *phase;
    size_t n_phases;
    plussi_chunk_mark *mark; /* ascending; all threads of a phase have the same loops */
} plussi_trace_thread;

typedef struct plussi_sampled_trace {
    plussi_mem mem;
    double rate; /* fraction of the lines in the sample, (0, 1] */
    uint32_t team;
    bool marked;                 /* some thread has marks */
    plussi_trace_thread *thread; /* team of them */
    uint32_t n_refs;
    uint64_t *made; /* by reference: accesses of all threads, sampled or not */
} plussi_sampled_trace;

/* Reads the sampled trace of this block of the trace's record. PLUSS_EIO; PLUSS_EFORMAT with the
 * byte at fault, also if it does not fit the block. out need not be initialised; the caller frees
 * it. O(accesses). */
PLUSS_NODISCARD pluss_status plussi_sampled_trace_read(plussi_trace_reader *trace, uint32_t block,
                                                       const plussi_record_block *of,
                                                       plussi_sampled_trace *out);
void plussi_sampled_trace_free(plussi_sampled_trace *sampled);

#endif

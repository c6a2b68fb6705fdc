/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The trace reader: finds and checks the sections of a record's sidecar file (trace/format.h).
 * trace/touches.h, trace/timed_run.h, trace/sampled_trace.h and trace/ordered_runs.h read their
 * contents.
 */
#ifndef PLUSSI_TRACE_TRACE_READER_H
#define PLUSSI_TRACE_TRACE_READER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/ctx.h"
#include "trace/format.h"

typedef struct plussi_indexed_section {
    plussi_trace_section head;
    uint64_t at; /* of its first entry, bytes in the file */
} plussi_indexed_section;

/* A completed run. */
typedef struct plussi_trace_run {
    uint32_t number; /* in order of the starts */
    uint32_t block;  /* of the record; UINT32_MAX: none */
    uint32_t team;   /* >= 1 */
    bool timed;      /* it has time stamps and no touches */
    uint64_t from, to;
} plussi_trace_run;

typedef struct plussi_trace_reader {
    plussi_ctx *ctx;
    FILE *in;
    char *path;
    uint64_t length; /* bytes */
    uint32_t line_bytes;
    double tick_ns;                  /* 0: unknown, and no run is timed */
    uint64_t first_timed;            /* tick at the start of the first timed run */
    plussi_indexed_section *section; /* by kind and run, then in file order */
    size_t n_sections, cap_sections;
    plussi_trace_run *run; /* in order of their ends */
    size_t n_runs, cap_runs;
    plussi_arena loaded; /* the last timed run that was read */
} plussi_trace_reader;

/* Indexes the sections. PLUSS_EIO; PLUSS_EFORMAT, with the byte at fault. The caller frees.
 * O(sections log sections). */
PLUSS_NODISCARD pluss_status plussi_trace_open(plussi_ctx *ctx, const char *path,
                                               plussi_trace_reader **out);
void plussi_trace_close(plussi_trace_reader *trace); /* NULL is allowed */

/* The sections of this kind for a run (or block); for all runs. O(log sections). */
const plussi_indexed_section *plussi_trace_of_run(const plussi_trace_reader *trace,
                                                  plussi_trace_section_kind kind, uint32_t run,
                                                  size_t *n);
const plussi_indexed_section *plussi_trace_of_kind(const plussi_trace_reader *trace,
                                                   plussi_trace_section_kind kind, size_t *n);

/* Reads the entries of a section. PLUSS_EIO. */
PLUSS_NODISCARD pluss_status plussi_trace_read(const plussi_trace_reader *trace,
                                               const plussi_indexed_section *section,
                                               void *entries);
/* The same into new memory, *out, from the context's allocator. */
PLUSS_NODISCARD pluss_status plussi_trace_read_new(const plussi_trace_reader *trace,
                                                   const plussi_indexed_section *section,
                                                   void *out);

/* Reports an impossible entry: PLUSS_EFORMAT, with its place. */
pluss_status plussi_trace_bad(const plussi_trace_reader *trace, uint64_t at, const char *what);

#endif

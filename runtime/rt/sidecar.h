/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The sidecar file of a record (trace/format.h): the only writer of its sections. The file of the
 * process's own record is written while the program runs, by any thread, and is published together
 * with the record.
 */
#ifndef PLUSSI_RT_SIDECAR_H
#define PLUSSI_RT_SIDECAR_H

#include "rt/outfile.h"
#include "trace/format.h"

/* ---- a caller's file */

/* Opens the sidecar file of the record at this path. false: see file->error. */
bool plussi_sidecar_open(plussi_outfile *file, const char *record_path);
void plussi_trace_section_put(plussi_outfile *file, const plussi_trace_section *head,
                              const void *entries);

/* ---- the file of the process */

typedef enum plussi_sidecar_of {
    PLUSSI_SIDECAR_TOUCHES, /* PLUSS_INTERLEAVE=tsc */
    PLUSSI_SIDECAR_STAMPS   /* PLUSS_STAMPS=tsc */
} plussi_sidecar_of;

/* Reads the environment, once; opens the file if something is wanted. false: not wanted, or the
 * file cannot be written, which is reported. */
bool plussi_sidecar_enabled(plussi_sidecar_of what);
/* Writes a section as a whole, under a lock that all functions take. Does nothing without a file.
 */
void plussi_sidecar_put(const plussi_trace_section *head, const void *entries);
/* Writes the end of a run, after its sections. */
void plussi_sidecar_run(uint32_t run, uint32_t team, uint64_t from, plussi_run_entry entry);
/* Hands the file, which may not be open, to the caller; nothing is put afterwards. */
plussi_outfile plussi_sidecar_take(void);
void plussi_sidecar_forget(void); /* in a child process, which has its own file */

#endif

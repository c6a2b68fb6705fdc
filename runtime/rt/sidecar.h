/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The sidecar file of a record (trace/format.h): the one writer of all its sections. That of the
 * process's own record is written while the program runs, by any thread, and is published when the
 * record is.
 */
#ifndef PLUSSI_RT_SIDECAR_H
#define PLUSSI_RT_SIDECAR_H

#include "rt/outfile.h"
#include "trace/format.h"

/* ---- a file of the caller's */

/* Opens the sidecar file of the record at this path. false: file->error says why. */
bool plussi_sidecar_open(plussi_outfile *file, const char *record_path);
void plussi_trace_section_put(plussi_outfile *file, const plussi_trace_section *head,
                              const void *entries);

/* ---- that of the process */

typedef enum plussi_sidecar_of {
    PLUSSI_SIDECAR_TOUCHES, /* PLUSS_INTERLEAVE=tsc */
    PLUSSI_SIDECAR_STAMPS   /* PLUSS_STAMPS=tsc */
} plussi_sidecar_of;

/* Reads the environment, once; the first that is wanted opens the file. false: not wanted, or the
 * file cannot be written, which is told. */
bool plussi_sidecar_enabled(plussi_sidecar_of what);
/* Whole, with the lock that all of these take. Does nothing where there is no file. */
void plussi_sidecar_put(const plussi_trace_section *head, const void *entries);
/* A run has ended; its sections are there. */
void plussi_sidecar_run(uint32_t run, uint32_t team, uint64_t from, plussi_run_entry entry);
/* The file, which is the caller's from here on; nothing is put any more. It may not be open. */
plussi_outfile plussi_sidecar_take(void);
void plussi_sidecar_forget(void); /* in a child process: it has a file of its own */

#endif

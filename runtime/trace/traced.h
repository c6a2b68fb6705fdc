/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The trace of a run, read back: which lines each thread touched when (runtime/rt/trace.h has the
 * format), merged into the order in which they were touched. Within a block of lines time is taken
 * to pass evenly from touch to touch.
 */
#ifndef PLUSSI_TRACE_TRACED_H
#define PLUSSI_TRACE_TRACED_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_traced_run {
    uint32_t number; /* in the order in which they began */
    uint32_t block;  /* of the record; UINT32_MAX: it is in none */
    uint32_t team;
} plussi_traced_run;

typedef struct plussi_traced plussi_traced;

/* Reads where the blocks are, not the lines. PLUSS_EIO; PLUSS_EFORMAT, with the byte at fault.
 * O(blocks log blocks). */
PLUSS_NODISCARD pluss_status plussi_traced_open(plussi_ctx *ctx, const char *path,
                                                plussi_traced **out);
void plussi_traced_free(plussi_traced *traced); /* NULL is allowed */

uint32_t plussi_traced_line_bytes(const plussi_traced *traced);
/* The runs that ended, in the order of their ends. */
size_t plussi_traced_runs(const plussi_traced *traced, const plussi_traced_run **out);

/* From here on next gives the touches of this run; UINT32_MAX: of all runs. */
void plussi_traced_begin(plussi_traced *traced, uint32_t run);
/* The lines of up to cap next touches; *n 0: the end. PLUSS_EIO, PLUSS_ENOMEM. O(log threads) a
 * touch. */
PLUSS_NODISCARD pluss_status plussi_traced_next(plussi_traced *traced, uint64_t *line, size_t cap,
                                                size_t *n);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The objects of a run.
 */
#ifndef PLUSSI_TRACE_FOLD_OBJECTS_H
#define PLUSSI_TRACE_FOLD_OBJECTS_H

#include "trace/fold_run.h"

enum { PLUSSI_FOLD_NOWHERE = -1 }; /* as an object: not known yet */

/* A line of TRACE.objects, without its end. */
typedef pluss_status (*plussi_fold_line_fn)(void *user, const char *line, const plussi_loc *loc);
/* Visits all lines of TRACE.objects, where it exists; lines of more than 511 bytes in pieces.
 * PLUSS_ENOMEM, PLUSS_EIO, and what `take` returns, which ends it. */
PLUSS_NODISCARD pluss_status plussi_fold_each_line(plussi_ctx *ctx, const char *path,
                                                   plussi_fold_line_fn take, void *user);
/* Reads the objects in TRACE.objects, where it exists, and sorts. PLUSS_EFORMAT with the line. */
PLUSS_NODISCARD pluss_status plussi_fold_read_objects(plussi_ctx *ctx, const char *path,
                                                      plussi_fold_run *run);
/* The object of that file at this address; SIZE_MAX: none. O(log objects). */
size_t plussi_fold_find_named(const plussi_fold_run *run, uint64_t address);
/* Adds, after those of the file, the ranges of tags whose object is not known, which become theirs;
 * overlapping ones are joined. O(tags log tags). */
PLUSS_NODISCARD pluss_status plussi_fold_find_ranges(plussi_fold_run *run);

#endif

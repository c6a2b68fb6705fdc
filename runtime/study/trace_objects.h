/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The accesses of a foreign trace by object: those of TRACE.objects (trace/fold_run.h).
 */
#ifndef PLUSSI_STUDY_TRACE_OBJECTS_H
#define PLUSSI_STUDY_TRACE_OBJECTS_H

#include "study/stage.h"

enum {
    PLUSSI_OBJECTS_APART = 16, /* objects that are told apart, at most */
    PLUSSI_OBJECT_PLACES = PLUSSI_OBJECTS_APART + 2
};

/* Objects told apart, those with most accesses first; then all others together, and what is in
 * none: a place each. */
typedef struct plussi_trace_objects plussi_trace_objects;

/* PLUSS_ENOTFOUND: the trace has no objects; PLUSS_EFORMAT with the line, PLUSS_EIO, PLUSS_ELIMIT.
 * The caller frees. O(objects log objects). */
PLUSS_NODISCARD pluss_status plussi_trace_objects_read(plussi_ctx *ctx, const char *path,
                                                       plussi_trace_objects **out);
void plussi_trace_objects_free(plussi_trace_objects *objects); /* NULL is allowed */
/* An access. O(log objects). */
void plussi_trace_objects_count(plussi_trace_objects *objects, uint64_t address);
/* The place of what an access is to, once all are counted. O(log objects). */
uint32_t plussi_trace_objects_place(plussi_trace_objects *objects, uint64_t address);
/* The name of a place that has accesses, valid as long as objects are. */
const char *plussi_trace_objects_name(const plussi_trace_objects *objects, uint32_t place);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace: the accesses of a team in one order. It is made from the walk of a nest in a merged
 * order (trace/walk.h), or from the touches of a recorded run by time (trace/touches.h). Its
 * maker's structure begins with it.
 */
#ifndef PLUSSI_TRACE_TRACE_H
#define PLUSSI_TRACE_TRACE_H

#include "base/ctx.h"

typedef struct plussi_access {
    uint64_t line; /* byte address / line_bytes */
    uint32_t ref;  /* reference id; 0 if unknown */
    uint32_t thread;
} plussi_access;

typedef struct plussi_trace {
    uint64_t phase; /* number of the last batch's phase, in order of execution; 0 where phases are
                       not known */
    pluss_status (*next)(struct plussi_trace *trace, plussi_access *buf, size_t cap, size_t *n);
    double (*done)(struct plussi_trace *trace); /* share that is read, in [0, 1]; NULL: not known */
} plussi_trace;

/* Up to cap > 0 next accesses; *n 0: the end. Errors are those of the maker. */
PLUSS_NODISCARD static inline pluss_status
plussi_trace_next(plussi_trace *trace, plussi_access *buf, size_t cap, size_t *n)
{
    return trace->next(trace, buf, cap, n);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which lines each thread of a run touched when, merged into the order in which they were touched.
 * Within a section of touches time is taken to pass evenly from touch to touch.
 */
#ifndef PLUSSI_TRACE_TOUCHES_H
#define PLUSSI_TRACE_TOUCHES_H

#include "trace/trace_reader.h"

typedef struct plussi_touches plussi_touches;

/* The touches of the trace's run; UINT32_MAX: of all its runs. The trace must outlive them.
 * O(sections log sections). */
PLUSS_NODISCARD pluss_status plussi_touches_new(const plussi_trace_reader *trace, uint32_t run,
                                                plussi_touches **out);
void plussi_touches_free(plussi_touches *touches); /* NULL is allowed */

/* The lines of up to cap next touches; *n 0: the end. PLUSS_EIO, PLUSS_ENOMEM. O(log threads) a
 * touch. */
PLUSS_NODISCARD pluss_status plussi_touches_next(plussi_touches *touches, uint64_t *line,
                                                 size_t cap, size_t *n);

#endif

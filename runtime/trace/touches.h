/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which lines each thread of a run touched when, merged into the order in which they were touched.
 * Within a section of touches time is taken to pass evenly from touch to touch.
 */
#ifndef PLUSSI_TRACE_TOUCHES_H
#define PLUSSI_TRACE_TOUCHES_H

#include "trace/trace.h"
#include "trace/trace_reader.h"

typedef struct plussi_touches plussi_touches;

/* The touches of one of its runs; UINT32_MAX: of all. The reader must outlive them.
 * O(sections log sections). */
PLUSS_NODISCARD pluss_status plussi_touches_new(const plussi_trace_reader *reader, uint32_t run,
                                                plussi_touches **out);
void plussi_touches_free(plussi_touches *touches); /* NULL is allowed */
/* As a trace, their own; of which reference one is, is not known. PLUSS_EIO, PLUSS_ENOMEM. O(log
 * threads) a touch. */
plussi_trace *plussi_touches_trace(plussi_touches *touches);

#endif

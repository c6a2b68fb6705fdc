/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines touched by each thread of a run, merged in order of time. Within a section touches are
 * evenly spaced in time.
 */
#ifndef PLUSSI_TRACE_TOUCHES_H
#define PLUSSI_TRACE_TOUCHES_H

#include "trace/trace.h"
#include "trace/trace_reader.h"

typedef struct plussi_touches plussi_touches;

/* The touches of one run; UINT32_MAX: of all runs. The reader must outlive them. O(sections log
 * sections). */
PLUSS_NODISCARD pluss_status plussi_touches_new(const plussi_trace_reader *reader, uint32_t run,
                                                plussi_touches **out);
void plussi_touches_free(plussi_touches *touches);            /* NULL is allowed */
uint64_t plussi_touches_count(const plussi_touches *touches); /* all of them */
/* Their accesses then have addresses in place of lines, and references; UINT32_MAX where they are
 * not known. */
void plussi_touches_give_addresses(plussi_touches *touches);
/* The touches as a trace, which they own; else a touch's reference is unknown. PLUSS_EIO,
 * PLUSS_ENOMEM. O(log threads) a touch. */
plussi_trace *plussi_touches_trace(plussi_touches *touches);

#endif

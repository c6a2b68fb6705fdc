/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * PLUSS_INTERLEAVE=tsc: the lines that a thread touched over time, in sections of touches. A
 * section ends when it is full, and where the thread meets others: at the start and the end of its
 * part of a parallel region, and of worksharing loops. Touches are in the order in which the
 * record's intervals count them: an access that straddles lines has a touch for each line.
 */
#ifndef PLUSSI_RT_TOUCH_LOG_H
#define PLUSSI_RT_TOUCH_LOG_H

#include "trace/format.h"

/* Of one thread in one run; memory of rt/own_memory.h. */
typedef struct plussi_touch_log {
    plussi_trace_section head;
    uint64_t entry[PLUSSI_TOUCHES_MOST];
} plussi_touch_log;

plussi_touch_log *plussi_touch_log_new(uint32_t run, uint32_t thread); /* NULL: no memory */
/* entry: plussi_touch_entry. */
void plussi_touch_log_add(plussi_touch_log *log, uint64_t entry);
void plussi_touch_log_cut(plussi_touch_log *log);

#endif

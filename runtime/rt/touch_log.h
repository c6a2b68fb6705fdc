/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * PLUSS_INTERLEAVE=tsc: which lines a thread touched when, as sections of touches. One is cut when
 * it is full, and wherever the thread meets others: at the start and the end of its part of a
 * parallel region, and of worksharing loops. Touches have the order that the record's intervals
 * count: one of a line that an access straddles is there for each line.
 */
#ifndef PLUSSI_RT_TOUCH_LOG_H
#define PLUSSI_RT_TOUCH_LOG_H

#include "trace/format.h"

/* One thread's of one run; free() frees it. */
typedef struct plussi_touch_log {
    plussi_trace_section head;
    uint64_t line[PLUSSI_TOUCHES_MOST];
} plussi_touch_log;

plussi_touch_log *plussi_touch_log_new(uint32_t run, uint32_t thread); /* NULL: no memory */
void plussi_touch_log_add(plussi_touch_log *log, uint64_t line);
void plussi_touch_log_cut(plussi_touch_log *log);

#endif

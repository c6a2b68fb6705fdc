/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/touch_log.h"

#include "rt/hold_signals.h"
#include "rt/own_memory.h"
#include "rt/sidecar.h"
#include "rt/ticks.h"

plussi_touch_log *plussi_touch_log_new(uint32_t run, uint32_t thread)
{
    plussi_touch_log *log = plussi_alloc(&plussi_own, 1, sizeof *log);
    if (log)
        log->head = (plussi_trace_section){.kind = PLUSSI_SECTION_TOUCHES,
                                           .size = sizeof *log->entry,
                                           .run = run,
                                           .thread = thread};
    return log;
}

void plussi_touch_log_cut(plussi_touch_log *log)
{
    if (log->head.n == 0)
        return;
    PLUSSI_HOLD_SIGNALS; /* the file is locked */
    log->head.to = plussi_ticks();
    plussi_sidecar_put(&log->head, log->entry);
    log->head.n = 0;
}

void plussi_touch_log_add(plussi_touch_log *log, uint64_t entry)
{
    if (log->head.n == 0)
        log->head.from = plussi_ticks();
    log->entry[log->head.n++] = entry;
    if (log->head.n == PLUSSI_TOUCHES_MOST)
        plussi_touch_log_cut(log);
}

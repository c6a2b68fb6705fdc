/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timelines in the making. Inside of trace/ files named so only.
 */
#ifndef PLUSSI_TRACE_TIMELINE_PHASES_H
#define PLUSSI_TRACE_TIMELINE_PHASES_H

#include "team/timeline.h"

/* Phases as they come; phase is the caller's to free. */
typedef struct plussi_phases {
    const plussi_mem *mem;
    plussi_timeline_phase *phase;
    size_t n, cap;
} plussi_phases;

PLUSS_NODISCARD pluss_status plussi_phases_add(plussi_phases *phases,
                                               const plussi_timeline_phase *phase);
/* As a timeline's, in the arena. */
PLUSS_NODISCARD pluss_status plussi_phases_keep(const plussi_phases *phases, plussi_arena *arena,
                                                plussi_timeline *out);
/* Room for n runs; it has none yet. */
PLUSS_NODISCARD pluss_status plussi_timelines_new(plussi_ctx *ctx, size_t n,
                                                  plussi_timelines **out);

#endif

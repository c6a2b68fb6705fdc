/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timelines under construction. Internal to the timeline files of trace/.
 */
#ifndef PLUSSI_TRACE_TIMELINE_PHASES_H
#define PLUSSI_TRACE_TIMELINE_PHASES_H

#include "team/timeline.h"

/* Growing list of phases; the caller frees phase. */
typedef struct plussi_phases {
    const plussi_mem *mem;
    plussi_timeline_phase *phase;
    size_t n, cap;
} plussi_phases;

PLUSS_NODISCARD pluss_status plussi_phases_add(plussi_phases *phases,
                                               const plussi_timeline_phase *phase);
/* Copies them to the arena, in the form of a timeline's. */
PLUSS_NODISCARD pluss_status plussi_phases_keep(const plussi_phases *phases, plussi_arena *arena,
                                                plussi_timeline *out);
/* Allocates n runs, none of them set. */
PLUSS_NODISCARD pluss_status plussi_timelines_new(plussi_ctx *ctx, size_t n,
                                                  plussi_timelines **out);

#endif

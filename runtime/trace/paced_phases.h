/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Paces in the making. Inside of record/paced*.c only.
 */
#ifndef PLUSSI_TRACE_PACED_PHASES_H
#define PLUSSI_TRACE_PACED_PHASES_H

#include "team/pace.h"

/* Phases as they come; phase is the caller's to free. */
typedef struct plussi_phases {
    const plussi_mem *mem;
    plussi_pace_phase *phase;
    size_t n, cap;
} plussi_phases;

PLUSS_NODISCARD pluss_status plussi_phases_add(plussi_phases *phases,
                                               const plussi_pace_phase *phase);
/* As a pace's, in the arena. */
PLUSS_NODISCARD pluss_status plussi_phases_keep(const plussi_phases *phases, plussi_arena *arena,
                                                plussi_pace *out);
/* Room for n runs; it has none yet. */
PLUSS_NODISCARD pluss_status plussi_paces_new(plussi_ctx *ctx, size_t n, plussi_paces **out);

#endif

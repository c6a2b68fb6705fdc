/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the closed-form engine: executions among which all first touches of a group are. A loop
 * whose IV nothing about the group depends on repeats what its first iteration did; where
 * iterations swap arrays, what as many did as bring every array round.
 */
#ifndef PLUSSI_SAMPLER_FIRSTS_H
#define PLUSSI_SAMPLER_FIRSTS_H

#include "sampler/group.h"

typedef struct plussi_firsts {
    const plussi_group *g;
    uint64_t most[PLUSSI_CURSOR_SLOTS]; /* iterations of a loop, by slot */
    uint64_t count;
    plussi_prefix prefix[PLUSSI_CURSOR_SLOTS]; /* of loops in which closed forms are long */
} plussi_firsts;

/* Tables come from the arena, *n_sums values so far. */
void plussi_firsts_of(const plussi_engine *e, const plussi_group *g, plussi_arena *arena,
                      uint64_t *n_sums, plussi_firsts *out);
/* Number n < count of them. */
void plussi_firsts_nth(plussi_workspace *workspace, const plussi_firsts *firsts, uint64_t n,
                       plussi_cursor *out);

#endif

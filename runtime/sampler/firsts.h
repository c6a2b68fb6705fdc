/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the closed-form engine: a set of executions that contains all first touches of a
 * group. A loop whose IV does not matter to the group repeats what its first iteration did; if
 * iterations swap arrays, it repeats after as many iterations as return every array.
 */
#ifndef PLUSSI_SAMPLER_FIRSTS_H
#define PLUSSI_SAMPLER_FIRSTS_H

#include "sampler/group.h"

typedef struct plussi_firsts {
    const plussi_group *g;
    uint64_t most[PLUSSI_CURSOR_SLOTS]; /* by slot: iterations of the loop in the set */
    uint64_t count;
    plussi_prefix prefix[PLUSSI_CURSOR_SLOTS]; /* of loops with long closed forms */
} plussi_firsts;

/* Tables come from the arena; *n_sums: values in them so far. */
void plussi_firsts_of(const plussi_engine *e, const plussi_group *g, plussi_arena *arena,
                      uint64_t *n_sums, plussi_firsts *out);
/* Number n < count of them. */
void plussi_firsts_nth(plussi_workspace *workspace, const plussi_firsts *firsts, uint64_t n,
                       plussi_cursor *out);

#endif

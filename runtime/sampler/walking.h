/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits of walks that are requested by name.
 */
#ifndef PLUSSI_SAMPLER_WALKING_H
#define PLUSSI_SAMPLER_WALKING_H

#include "base/effort.h"
#include "bound/bound.h"

/* Steps that such a walk may take: those given; 0: 10^12, some hours. */
uint64_t plussi_walk_effort(uint64_t given);
/* PLUSS_ELIMIT if it is known beforehand that a walk would take more; effort NULL: no bound.
 * *accesses (or NULL): how many it has; 0: that is not known. */
PLUSS_NODISCARD pluss_status plussi_check_walk(plussi_ctx *ctx, const plussi_bound *bound,
                                               const plussi_effort *effort, uint64_t *accesses);

#endif

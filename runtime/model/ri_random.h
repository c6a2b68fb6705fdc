/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ri-random: concurrent reuse intervals of one uniform random interleaving, walked access by access
 * (PACT'24's PLUSS-RI, which follows PPT-SASMM). docs/models.md, "ri-random".
 */
#ifndef PLUSSI_MODEL_RI_RANDOM_H
#define PLUSSI_MODEL_RI_RANDOM_H

#include "base/effort.h"
#include "bound/bound.h"
#include "profile/histo.h"

/* Intervals of bound->team threads. out: initialised; its contents are replaced; every access has
 * weight 1, cold is the number of lines, thread_first 0. Another seed gives another interleaving.
 * Errors as of plussi_walk_new, PLUSS_ENOMEM, PLUSS_ELIMIT if the effort (NULL: no bound) is too
 * small; out is then untouched. O(accesses) time; memory: one table of last touches. */
PLUSS_NODISCARD pluss_status plussi_ri_random(plussi_ctx *ctx, const plussi_bound *bound,
                                              uint64_t seed, plussi_effort *effort,
                                              plussi_histo *out);

#endif

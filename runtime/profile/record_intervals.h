/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The private reuse interval histograms of a recorded run.
 */
#ifndef PLUSSI_PROFILE_RECORD_INTERVALS_H
#define PLUSSI_PROFILE_RECORD_INTERVALS_H

#include "profile/pri.h"
#include "trace/recorded.h"

bool plussi_record_has_intervals(const plussi_record_block *block);
/* Are accesses recorded that its nest, of that many references, does not have? */
bool plussi_record_has_sites(const plussi_record_block *block, uint32_t n_refs);
/* The block's private reuse intervals, averaged over its runs, with the sharing classes of the
 * bound nest, whose team is the block's, and after them those of sites. PLUSS_EINVAL if the nest
 * lacks one of the references and the block has no sites, PLUSS_ENOTFOUND if the block has no
 * intervals. out need not be initialised; the caller frees it.
 */
PLUSS_NODISCARD pluss_status plussi_record_intervals(plussi_ctx *ctx,
                                                     const plussi_record_block *block,
                                                     const plussi_bound *bound, plussi_pri *out);

#endif

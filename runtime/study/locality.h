/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Locality profiles of one order of accesses, exact (Wu and Yeung, "Efficient reuse distance
 * analysis of multicore scaling for loop-based parallel programs", ACM TOCS 2013, section 3.1): by
 * scope (profile/profile.h), phase, and whether a line is private to a thread there. In the paper's
 * terms the scopes are RD, CRD, PRD and CRD of addresses extended by the core. A line is classed by
 * its accesses in one execution of a phase, which are counted when that ends; stacks are kept from
 * phase to phase. PRD of accesses that are all made reads is RD.
 */
#ifndef PLUSSI_STUDY_LOCALITY_H
#define PLUSSI_STUDY_LOCALITY_H

#include "cache/simulator.h"
#include "report/result.h"

typedef struct plussi_locality plussi_locality;

/* Sampling with pruning (section 7 of the paper): of every `every` accesses the first `profiled`
 * are profiled, from empty stacks on, and those after them until the share `pruned` of the lines
 * that these touched is touched again; what is not by then counts as cold. every 0: all accesses
 * are profiled; else 0 < profiled < every, 0 < pruned <= 1. */
typedef struct plussi_sampling {
    uint64_t profiled, every;
    double pruned;
} plussi_sampling;

/* line_bytes: a power of two. PLUSS_EINVAL: a team of none or of more than 65536 threads. */
PLUSS_NODISCARD pluss_status plussi_locality_new(plussi_ctx *ctx, uint32_t team,
                                                 uint32_t line_bytes, plussi_locality **out);
void plussi_locality_free(plussi_locality *locality); /* NULL is allowed */
/* Before the first access: the accesses that are profiled stand for all. */
void plussi_locality_sample(plussi_locality *locality, const plussi_sampling *sampling);

/* n accesses more, of the phase that has begun; threads are below the team. PLUSS_ENOMEM: the
 * counts mean nothing from then on; so it is where there are more than 2^30 lines, a thread's
 * counted apart. Amortised O(log distance + team / 64). Memory: as of plussi_stacks and two
 * plussi_lru for each thread's lines, and, of one phase, 16 to 48 bytes for each different distance
 * of a line. */
PLUSS_NODISCARD pluss_status plussi_locality_run(plussi_locality *locality,
                                                 const plussi_cache_access *access, size_t n);
/* Another execution of a phase begins. phase: which one; UINT64_MAX: the one of its least
 * reference. PLUSS_ENOMEM. O(lines and distances of the phase that ends). */
PLUSS_NODISCARD pluss_status plussi_locality_begin_phase(plussi_locality *locality, uint64_t phase);
/* The stacks are emptied, and a phase UINT64_MAX begins; the counts stay. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_locality_empty(plussi_locality *locality);

/* Ends the phase, and appends the profiles that are not empty, by phase in the order of their first
 * executions, scope, and private before shared. id: theirs; runs: as of a profile, of which a share
 * is profiled with sampling. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_locality_add_profiles(plussi_locality *locality,
                                                          const plussi_identity *id, double runs,
                                                          plussi_result *result);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private reuse interval histograms: what the symbolic models start from. One histogram a
 * reference, all threads together, weights are accesses.
 *
 * Cold and thread-first: of the k threads that touch a line, which comes first is the
 * interleaving's business; each of their first touches counts 1/k as cold and 1 - 1/k as
 * thread-first, so that the sum of cold is the number of lines.
 */
#ifndef PLUSSI_PROFILE_PRI_H
#define PLUSSI_PROFILE_PRI_H

#include "base/effort.h"
#include "bound/bound.h"
#include "profile/histo.h"

/* How the reference that ends an interval relates to the other threads (decided statically). */
typedef enum plussi_sharing {
    PLUSSI_SHARING_NONE,    /* its subscripts hold the parallel IV, whole lines a chunk; or only one
                               thread executes it; or the array is private */
    PLUSSI_SHARING_SPATIAL, /* false sharing: neighbouring chunks share lines, not elements: the
                               parallel IV moves the address by less than a line and a chunk does
                               not cover whole lines */
    PLUSSI_SHARING_FULL     /* no subscript contains the parallel IV: all threads touch the same */
} plussi_sharing;

typedef struct plussi_ref_pri {
    plussi_sharing sharing;
    uint32_t sharers;  /* SPATIAL: threads that share a line, 2 ... team; FULL: all that execute it;
                          NONE: 1; where only one thread executes it: 1 */
    uint32_t own_team; /* threads that execute it whatever the team: 1 in serial code, n under
                      num_threads(n); 0: the whole team */
    double chunks_per_line; /* SPATIAL: chunks that meet in a line, on average, > 1; else 0 */
    bool by_block; /* SPATIAL: a chunk is a share of the loop: chunks_per_line - 1 grows as the team
                    */
    plussi_histo histo;
} plussi_ref_pri;

typedef struct plussi_pri {
    plussi_mem mem;
    uint32_t team; /* at which it was collected */
    uint32_t n_refs;
    plussi_ref_pri *ref; /* by reference id */
    double accesses;
} plussi_pri;

/* pri.c: an empty one; PLUSS_ENOMEM. Free it with plussi_pri_free. */
PLUSS_NODISCARD pluss_status plussi_pri_init(plussi_ctx *ctx, uint32_t n_refs, uint32_t team,
                                             plussi_pri *out);
void plussi_pri_free(plussi_pri *pri); /* leaves it empty; a second time does nothing */

/* How a line that reference touches is shared when T threads run: by how many, and which part of
 * the reference's lines is (1 for FULL, 0 for NONE). Both from what sharing.c found at pri->team.
 */
void plussi_sharing_at(const plussi_pri *pri, uint32_t ref, uint32_t T, uint32_t *sharers,
                       double *part);

/* sharing.c: the class of every reference (PACT'24, section 4, "Reference Classification"; the
 * spatial class is ours, docs/models.md, "cri-line"). Reads only the bound nest. Fills all but the
 * histograms of out->ref; out is initialised, PLUSS_EINVAL where it has another n_refs. */
PLUSS_NODISCARD pluss_status plussi_sharing_classify(plussi_ctx *ctx, const plussi_bound *bound,
                                                     plussi_pri *out);

/* pri_walk.c: exact histograms by walking every thread (O(accesses)). Threads are independent, and
 * a single is executed by thread 0, but where chunks are dispatched on demand: there the uniform
 * interleaving of seed decides. effort: PLUSS_ELIMIT beyond; NULL: not bounded. out need not be
 * initialised; the caller frees it. Errors as plussi_walk_new, PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_pri_walk(plussi_ctx *ctx, const plussi_bound *bound,
                                             uint64_t seed, plussi_effort *effort, plussi_pri *out);

#endif

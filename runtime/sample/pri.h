/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private reuse interval histograms: what the symbolic models start from. One histogram a
 * reference, all threads together, weights are accesses.
 *
 * Cold and thread-first: of the k threads that touch a line, which comes first is the
 * interleaving's business; each of their first touches counts 1/k as cold and 1 - 1/k as
 * thread-first, so that the sum of cold is the number of lines.
 */
#ifndef PLUSSI_SAMPLE_PRI_H
#define PLUSSI_SAMPLE_PRI_H

#include "histo/histo.h"
#include "nest/bound.h"

/* How the reference that ends an interval relates to the other threads (decided statically). */
typedef enum plussi_sharing {
    PLUSSI_SHARING_NONE,    /* every subscript set holds the parallel IV, whole lines a chunk */
    PLUSSI_SHARING_SPATIAL, /* only lines are shared: the parallel IV stands in the fastest-varying
                               subscript alone and a chunk does not cover whole lines */
    PLUSSI_SHARING_FULL     /* no subscript contains the parallel IV: all threads touch the same */
} plussi_sharing;

typedef struct plussi_ref_pri {
    plussi_sharing sharing;
    uint32_t sharers; /* SPATIAL: threads that share a line, 2 ... team; FULL: team; NONE: 1 */
    plussi_histo histo;
} plussi_ref_pri;

typedef struct plussi_pri {
    plussi_mem mem;
    uint32_t team; /* at which it was collected */
    uint32_t n_refs;
    plussi_ref_pri *ref; /* by reference id */
    double accesses;
} plussi_pri;

/* sharing.c: the class of every reference (PACT'24, section 4, "Reference Classification"; the
 * spatial class is ours). Reads only the bound nest. Fills sharing and sharers of out->ref. */
PLUSS_NODISCARD pluss_status plussi_sharing_classify(plussi_ctx *ctx, const plussi_bound *bound,
                                                     plussi_pri *out);

/* pri_walk.c: exact histograms by walking every thread (O(accesses)). */
PLUSS_NODISCARD pluss_status plussi_pri_walk(plussi_ctx *ctx, const plussi_bound *bound,
                                             uint64_t seed, plussi_pri *out);
void plussi_pri_free(plussi_pri *pri);

#endif

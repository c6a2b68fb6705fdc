/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private reuse interval histograms, the input of the symbolic models: one histogram a reference
 * for all threads together; weights are accesses.
 */
#ifndef PLUSSI_PROFILE_PRI_H
#define PLUSSI_PROFILE_PRI_H

#include "base/effort.h"
#include "bound/bound.h"
#include "profile/histo.h"

/* How the reference that ends an interval shares lines with other threads (decided statically). */
typedef enum plussi_sharing {
    PLUSSI_SHARING_NONE, /* its subscripts hold the parallel IV and every chunk covers whole lines;
                            or only one thread executes it; or the array is private */
    PLUSSI_SHARING_SPATIAL, /* false sharing: neighbouring chunks share lines, not elements: the
                               parallel IV moves the address by less than a line and a chunk does
                               not cover whole lines */
    PLUSSI_SHARING_FULL /* no subscript holds the parallel IV: all threads touch the same elements
                         */
} plussi_sharing;

typedef struct plussi_ref_pri {
    plussi_sharing sharing;
    uint32_t sharers;  /* threads that share a line. SPATIAL: 2 ... team; FULL: all that execute it;
                          NONE, or only one thread executes it: 1 */
    uint32_t own_team; /* threads that execute it at any team size: 1 in serial code, n under
                          num_threads(n); 0: the whole team */
    double chunks_per_line; /* SPATIAL: mean number of chunks in a line, > 1; else 0 */
    bool by_block; /* SPATIAL: a chunk is a share of the loop: chunks_per_line - 1 grows as the team
                    */
    plussi_histo histo;
} plussi_ref_pri;

/* What one thread does alone. */
typedef struct plussi_thread_pri {
    double accesses;
    double lines;  /* different ones; histo has no first touches */
    double shared; /* of these, those that other threads touch, too */
    double late;   /* first touches of lines that another thread has touched before: of the first
                      touches of a line by k threads, each is the first one in 1 / k of all orders */
    plussi_histo histo;
} plussi_thread_pri;

typedef struct plussi_pri {
    plussi_mem mem;
    uint32_t team; /* team size at which it was collected */
    uint32_t n_refs;
    uint32_t n_sites;    /* of these, the last: recorded accesses that the nest does not have */
    plussi_ref_pri *ref; /* by reference id */
    double accesses;
    plussi_thread_pri *thread; /* NULL: threads are not told apart */
    uint32_t n_threads;
} plussi_pri;

/* pri.c: makes an empty one; PLUSS_ENOMEM. plussi_pri_free frees it. */
PLUSS_NODISCARD pluss_status plussi_pri_init(plussi_ctx *ctx, uint32_t n_refs, uint32_t team,
                                             plussi_pri *out);
void plussi_pri_free(plussi_pri *pri); /* leaves it empty; a second time does nothing */

/* How the reference shares lines when T threads run: with how many threads, and the fraction of its
 * lines (1 for FULL, 0 for NONE). Both follow from what sharing.c found at pri->team. */
void plussi_sharing_at(const plussi_pri *pri, uint32_t ref, uint32_t T, uint32_t *sharers,
                       double *part);

/* sharing.c: classifies every reference (PACT'24, section 4, "Reference Classification"; the
 * spatial class, false sharing, is an addition: docs/models.md, "cri-line"). Reads only the bound
 * nest. Sets all of out->ref except the histograms; out is initialised, PLUSS_EINVAL if its n_refs,
 * without the sites, differs. */
PLUSS_NODISCARD pluss_status plussi_sharing_classify(plussi_ctx *ctx, const plussi_bound *bound,
                                                     plussi_pri *out);

/* pri_walk.c: exact histograms by walking every thread, O(accesses). Threads are independent and
 * thread 0 executes each single, except in nests with dynamic loops: there the uniform interleaving
 * of seed decides. effort: PLUSS_ELIMIT if it does not suffice; NULL: no bound. out need not be
 * initialised; the caller frees it. Errors as of plussi_walk_new, PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_pri_walk(plussi_ctx *ctx, const plussi_bound *bound,
                                             uint64_t seed, plussi_effort *effort, plussi_pri *out);

/* The same, with what each thread does. */
PLUSS_NODISCARD pluss_status plussi_pri_walk_threads(plussi_ctx *ctx, const plussi_bound *bound,
                                                     uint64_t seed, plussi_effort *effort,
                                                     plussi_pri *out);

#endif

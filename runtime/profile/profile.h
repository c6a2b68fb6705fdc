/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles: histograms of reuse intervals or reuse distances, with their identity. Every engine
 * makes one. Curves are made from profiles, which can be kept, added, written and read
 * (report/report.h).
 */
#ifndef PLUSSI_PROFILE_PROFILE_H
#define PLUSSI_PROFILE_PROFILE_H

#include "profile/identity.h"
#include "profile/mrc.h"

typedef enum plussi_metric {
    PLUSSI_METRIC_INTERVAL, /* reuse interval: accesses since the previous touch of the same line,
                               from 1 */
    PLUSSI_METRIC_DISTANCE  /* reuse (stack) distance: different lines touched in between, from 0 */
} plussi_metric;

/* The accesses in which an interval or a distance is counted. */
typedef enum plussi_profile_scope {
    PLUSSI_SCOPE_PRIVATE,    /* each thread's own */
    PLUSSI_SCOPE_CONCURRENT, /* those of all threads that share the cache:
                                identity.threads_per_cache */
    PLUSSI_SCOPE_COHERENT,   /* each thread's own, and writes of the others take its lines away
                                (exact/private_stack.h) */
    PLUSSI_SCOPE_APART,      /* those of all threads, as if no two of them touched the same line */
    PLUSSI_SCOPES
} plussi_profile_scope;

/* Whose lines the accesses are to: in one execution of a phase, a line is private if one thread
 * makes nine tenths or more of the accesses to it. */
typedef enum plussi_profile_sharing {
    PLUSSI_SHARING_ANY,
    PLUSSI_SHARING_PRIVATE,
    PLUSSI_SHARING_SHARED
} plussi_profile_sharing;

/* An access in the source. It owns the texts. */
typedef struct plussi_site {
    char *text; /* "B[k][j]" */
    bool write, atomic;
    char *file;    /* NULL: unknown */
    uint32_t line; /* 0: unknown */
} plussi_site;

void plussi_site_free(const plussi_mem *mem, plussi_site *site);

/* The accesses of one reference. */
typedef struct plussi_profile_part {
    uint32_t ref; /* its number in the nest */
    plussi_site site;
    char *loop; /* induction variable of the innermost loop around it; NULL: none */
    plussi_histo histo;
} plussi_profile_part;

typedef struct plussi_profile {
    plussi_mem mem;
    plussi_identity id;
    plussi_metric metric;
    plussi_profile_scope scope;
    plussi_profile_sharing sharing; /* ANY: all accesses; else those of one phase, to such lines */
    uint64_t phase; /* of a nest, its first reference; of a trace, in order of execution */
    double runs;    /* runs in the weights; below 1: a sampled part of one */
    uint64_t footprint_lines; /* of one run, all threads */
    plussi_histo histo;       /* all accesses; weights are accesses */
    size_t n_parts;           /* 0: references are not told apart */
    plussi_profile_part *part;
} plussi_profile;

/* Makes an empty profile with n_parts parts, numbered from 0. PLUSS_ENOMEM. plussi_profile_free
 * frees it. */
PLUSS_NODISCARD pluss_status plussi_profile_init(const plussi_mem *mem, plussi_metric metric,
                                                 plussi_profile_scope scope, size_t n_parts,
                                                 plussi_profile *out);
/* Without its parts. PLUSS_ENOMEM: *out is to be freed, too. */
PLUSS_NODISCARD pluss_status plussi_profile_copy(const plussi_mem *mem,
                                                 const plussi_profile *profile,
                                                 plussi_profile *out);
void plussi_profile_free(plussi_profile *profile); /* leaves it empty; a second time does nothing */

/* Accesses with a distance, or with distances in a range, as formulas of loop bounds. */
typedef struct plussi_profile_formula {
    char *distance; /* "cold", "2*nk + 1", "nk to 2*nk - 1" */
    char *accesses; /* "ni*nj" */
    double now;     /* accesses with the bounds of the curve */
} plussi_profile_formula;

void plussi_profile_formulas_free(const plussi_mem *mem, plussi_profile_formula *formula,
                                  size_t n); /* and it */

/* Names the difference that keeps two profiles from being added, such as "teams"; NULL: there is
 * none. */
const char *plussi_profile_mergeable(const plussi_profile *a, const plussi_profile *b);
/* Adds the runs of src to those of dst, and the parts if both have the same; otherwise dst loses
 * its parts. PLUSS_EINVAL, naming the difference, if metric, scope, region, values, team, threads
 * per cache or line size differ; dst is then unchanged. O(bins). */
PLUSS_NODISCARD pluss_status plussi_profile_merge(plussi_ctx *ctx, plussi_profile *dst,
                                                  const plussi_profile *src);

/* The curve of a fully associative LRU cache, or of the threads' caches; its accesses are those of
 * one run. See plussi_mrc_from_rd and plussi_mrc_from_ri. */
PLUSS_NODISCARD pluss_status plussi_profile_curve(plussi_ctx *ctx, const plussi_profile *profile,
                                                  plussi_mrc *out);

const char *plussi_metric_name(plussi_metric metric); /* "interval", "distance" */
/* "private", "concurrent", "coherent", "apart"; "any", "private", "shared". NULL: none. */
const char *plussi_scope_name(int scope);
const char *plussi_sharing_name(int sharing);

#endif

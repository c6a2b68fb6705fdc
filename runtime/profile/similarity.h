/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How alike two profiles of distances are, and where caches that are shared by more threads, or not
 * at all, begin to differ: Wu and Yeung, ACM TOCS 2013, sections 4.2 and 5.
 */
#ifndef PLUSSI_PROFILE_SIMILARITY_H
#define PLUSSI_PROFILE_SIMILARITY_H

#include "profile/mrc.h"

/* Bins of sizes: eight an octave; or the paper's, one an octave up to 128 KB and one for each 128
 * KB from there on. */
typedef enum plussi_binning { PLUSSI_BINNING_OCTAVES, PLUSSI_BINNING_PAPER } plussi_binning;

/* Equations 1 and 2, 1 for equal profiles. Accesses that are the first of their thread to a line
 * are left out, as in the paper; coherence misses are in the second alone. Of profiles without a
 * distance both are 1. */
typedef struct plussi_similarity {
    double profile;     /* 0 to 1: share of the accesses that are in the same bins */
    double performance; /* 1 minus the mean relative error of the misses, at sizes up to half of the
                           greatest distance measured; it may be below 0 */
} plussi_similarity;

/* PLUSS_ENOMEM. O(bins of both). */
PLUSS_NODISCARD pluss_status plussi_compare_profiles(const plussi_histo *predicted,
                                                     const plussi_histo *measured,
                                                     plussi_binning binning, uint32_t line_bytes,
                                                     plussi_similarity *out);

/* C_core, lines: the least size from which on, up to half of the greatest distance of `many`, a
 * cache that many threads share has less than 1.5 times the ratio of misses to those of one thread
 * that it has there. 0: at all sizes. Misses are all, cold ones too. O(n log n). */
double plussi_find_c_core(const plussi_mrc *one, const plussi_mrc *many);
/* How many times as often a cache that many threads share misses as with one, at sizes from `least`
 * to C_core, lines (the paper's Delta M): mean over all sizes, and greatest. false: there are no
 * such sizes. O(n log n). */
bool plussi_find_growth(const plussi_mrc *one, const plussi_mrc *many, double least, double c_core,
                        double *mean, double *greatest);
/* C_share, lines: the least total size, of a line for each thread and more, at which a shared cache
 * has at most 0.9 times the misses of as many private ones as there are threads (own: by the size
 * of one). 0: there is none. O(n log n). */
double plussi_find_c_share(const plussi_mrc *shared, const plussi_mrc *own, uint32_t team);

/* Cycles of an access that a private cache gives, a shared one, and memory, which gives what they
 * miss. */
typedef struct plussi_latencies {
    double own, shared, memory;
} plussi_latencies;
/* Mean cycles of an access in a cache of this size, lines, whose hits take that many. */
double plussi_mean_cycles(const plussi_mrc *mrc, double lines, double hit, double memory);
/* Lines: the least total size, of a line for each thread and more, at which accesses to a shared
 * cache take fewer cycles than those to as many private ones as there are threads. 0: there is
 * none. O(n log n). */
double plussi_find_c_cost(const plussi_mrc *shared, const plussi_mrc *own, uint32_t team,
                          const plussi_latencies *latencies);

#endif

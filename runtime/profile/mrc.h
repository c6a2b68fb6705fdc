/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Miss ratio curves of a fully associative LRU cache: misses / all accesses as a function of the
 * size in lines, a step function that never rises.
 */
#ifndef PLUSSI_PROFILE_MRC_H
#define PLUSSI_PROFILE_MRC_H

#include "profile/histo.h"

typedef struct plussi_mrc {
    plussi_mem mem;
    size_t n;        /* >= 1 */
    double *size;    /* lines, ascending, size[0] = 0 */
    double *miss;    /* miss ratio for sizes in [size[i], size[i+1]); miss[0] = 1, not rising */
    double accesses; /* weight of all accesses */
} plussi_mrc;

void plussi_mrc_free(plussi_mrc *mrc);

/* Curve from reuse distances (RD from 0; what has none misses at every size): exact.
 * PLUSS_EEMPTY for an empty histogram. At most one step a key. O(n). */
PLUSS_NODISCARD pluss_status plussi_mrc_from_rd(plussi_ctx *ctx, const plussi_histo *rd,
                                                plussi_mrc *out);

/* Curve from reuse intervals by AET (Hu et al. 2016; Denning's recursion). P(> t) is the fraction
 * of accesses whose interval exceeds t (cold: every t), F(r) = sum over t < r of P(> t). The miss
 * ratio at c lines is P(> r) for the greatest r with F(r) <= c: each step of the curve is at F(key)
 * and takes its new value there. At most one step a key; docs/models.md derives it. PLUSS_EEMPTY
 * for an empty histogram, PLUSS_EINVALID for an interval of 0. O(n). */
PLUSS_NODISCARD pluss_status plussi_mrc_from_ri(plussi_ctx *ctx, const plussi_histo *ri,
                                                plussi_mrc *out);

/* Adds the distances of a curve: what hits from a size on, at its last line; the rest is cold.
 * PLUSS_ENOMEM. O(n). */
PLUSS_NODISCARD pluss_status plussi_mrc_distances(const plussi_mrc *mrc, plussi_histo *out);

double plussi_mrc_at(const plussi_mrc *mrc, double size_lines); /* O(log n) */
/* Hit rate of one cache, by the stack distance cache model. */
typedef struct plussi_hit_rate {
    uint64_t bytes;
    uint32_t ways;
    double rate;
} plussi_hit_rate;

/* The share of accesses that hit one cache of that many sets (any number above 0, as 13107.2 of 16
 * MB with 20 ways) and ways: the lines in between fall into sets at random, and an access with D of
 * them hits where fewer than `ways` are in its own, P(binomial(D, 1/sets) < ways) (the stack
 * distance cache model: Brehob, Enbody 1996). O(n). */
double plussi_mrc_hit_rate(const plussi_mrc *mrc, double sets, uint32_t ways);

/* ---- grids and errors --------------------------------------------------------------------------
 *
 * strict: 8 sizes an octave from 1 line to the footprint (both included; integer sizes, each once).
 * paper:  4 an octave from 1 line to 32 MB / line_bytes. */
typedef enum plussi_grid { PLUSSI_GRID_STRICT, PLUSSI_GRID_PAPER } plussi_grid;

PLUSS_NODISCARD pluss_status plussi_grid_sizes(plussi_ctx *ctx, plussi_grid grid,
                                               uint64_t footprint_lines, uint32_t line_bytes,
                                               uint64_t **sizes, size_t *n);

typedef struct plussi_mrc_error {
    double mean_abs, max_abs, mean_signed; /* a - b, miss ratio */
    uint64_t max_at;                       /* size of the largest difference, lines */
    size_t n;                              /* points */
} plussi_mrc_error;

PLUSS_NODISCARD pluss_status plussi_mrc_compare(plussi_ctx *ctx, const plussi_mrc *a,
                                                const plussi_mrc *b, const uint64_t *sizes,
                                                size_t n, plussi_mrc_error *out);

/* ---- knees: knees.c ----------------------------------------------------------------------------
 *
 * Where a curve comes down: a stretch of sizes of the strict grid without a flat part or a valley,
 * over which it falls by a point or more; docs/models.md, "Knees", has the rule. Sizes in lines. */
typedef struct plussi_mrc_knee {
    uint64_t below, last;  /* accesses that hit at `last` but not at `below` belong to the knee */
    double before, after;  /* miss ratio there, before > after */
    uint64_t from, at, to; /* where less than 5 %, at least half, at least 95 % of them hit */
} plussi_mrc_knee;

/* In ascending order; the caller owns *out (plussi_free). PLUSS_EINVAL for an empty footprint.
 * O(sizes^2), sizes <= 514. */
PLUSS_NODISCARD pluss_status plussi_mrc_knees(plussi_ctx *ctx, const plussi_mrc *mrc,
                                              uint64_t footprint_lines, plussi_mrc_knee **out,
                                              size_t *n);

#endif

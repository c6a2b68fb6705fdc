/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact curves of the bound nest: merged walks and LRU stack distances.
 */
#ifndef TESTS_ORACLE_EXACT_CURVE_H
#define TESTS_ORACLE_EXACT_CURVE_H

#include "../unit/assertions.h"
#include <math.h>
#include <string.h>

#include "../unit/one_nest.h"
#include "exact/lru.h"
#include "profile/mrc.h"
#include "trace/walk.h"

enum { MOST = 1 << 15 }; /* lines */

typedef struct truth {
    double hits[MOST], accesses; /* hits at size i + 1 alone */
    uint64_t footprint;
} truth;

static void touch(truth *t, plussi_lru *lru, const plussi_access *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t d = plussi_lru_touch(lru, a[i].line);
        t->accesses++;
        if (d < MOST)
            t->hits[d]++;
    }
}

static void merged(truth *t, const plussi_progress *progress, uint64_t seed)
{
    plussi_walk *walk;
    plussi_merge *merge;
    plussi_lru *lru;
    plussi_access buf[256];
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, seed, &walk), PLUSS_OK);
    ck_assert_int_eq(plussi_merge_new(&ctx, walk, progress, seed, &merge), PLUSS_OK);
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    for (size_t n; (n = plussi_merge_next(merge, buf, 256)) > 0;)
        touch(t, lru, buf, n);
    t->footprint = plussi_lru_footprint(lru);
    plussi_lru_free(lru);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
}

/* The mean of so many seeds. */
static void merged_uniformly(truth *t, int seeds)
{
    memset(t, 0, sizeof *t);
    for (int seed = 1; seed <= seeds; seed++)
        merged(t, &(plussi_progress){0}, (uint64_t)seed);
    for (size_t i = 0; i < MOST; i++)
        t->hits[i] /= seeds;
    t->accesses /= seeds;
}

/* Mean absolute difference on 8 sizes an octave up to the footprint. */
/* Mean over the strict grid of the difference to the mean of n curves of as many accesses. */
static double difference_of_mean(const truth *t, const plussi_mrc *mrc, size_t n_curves)
{
    uint64_t *size;
    size_t n;
    ck_assert_int_eq(plussi_grid_sizes(&ctx, PLUSSI_GRID_STRICT, t->footprint, 64, &size, &n),
                     PLUSS_OK);
    double sum = 0, hits = 0;
    uint64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_le(size[i], MOST);
        while (at < size[i])
            hits += t->hits[at++];
        double miss = 0;
        for (size_t k = 0; k < n_curves; k++)
            miss += plussi_mrc_at(&mrc[k], (double)size[i]) / (double)n_curves;
        sum += fabs(miss - (1 - hits / t->accesses));
    }
    plussi_free(&ctx.mem, size);
    return sum / (double)n;
}

static inline double difference(const truth *t, const plussi_mrc *mrc)
{
    return difference_of_mean(t, mrc, 1);
}

#endif

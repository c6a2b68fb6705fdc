/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What the runs of a program add up to, and the file it is written to (docs/record-format.md).
 */
#ifndef PLUSSI_RT_RECORD_H
#define PLUSSI_RT_RECORD_H

#include "rt/collect.h"

/* All runs of one region with the same symbol values, array bases (mod line) and team size. */
typedef struct plussi_sum {
    const pluss_rt_region *region;
    uint32_t team;
    int64_t *symbols;
    uint64_t *bases;
    uint64_t runs, lost;
    plussi_collector **thread; /* team of them */
    struct plussi_sum *next;   /* in order of their first run */
} plussi_sum;

typedef struct plussi_sums {
    plussi_sum *first, *last;
    uint64_t lost_runs; /* that no memory was left for */
} plussi_sums;

/* Finds or makes; NULL: no memory. O(number of sums). */
plussi_sum *plussi_sums_find(plussi_sums *sums, const pluss_rt_region *region,
                             const int64_t *symbols, const uint64_t *bases, uint32_t team);
void plussi_sums_clear(plussi_sums *sums);

/* Writes to a temporary file beside path and renames it. 0 or an errno. */
int plussi_sums_write(const plussi_sums *sums, const char *path);

#endif

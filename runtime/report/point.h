/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A result as points: what was asked of one region, with one team, one schedule and one set of
 * values. The curves and the levels of a point are in a row.
 */
#ifndef PLUSSI_REPORT_POINT_H
#define PLUSSI_REPORT_POINT_H

#include "report/result.h"

typedef struct plussi_point {
    const plussi_curve *curve; /* of caches that different numbers of threads share */
    size_t n_curves;
    const plussi_level_result *level; /* NULL: none; of a sweep, the levels of its first point */
    size_t n_levels;
    size_t region; /* points of one region have the same number */
} plussi_point;

typedef struct plussi_points {
    plussi_mem mem;
    plussi_point *point;
    size_t n, n_regions;
    size_t *first; /* of each region, the worst region first: the number of its first point */
    double *cost;  /* by region: see plussi_misses_cost */
} plussi_points;

/* The misses of levels with the weights 1, 4, 16, ..., as a miss farther from the processor takes
 * longer, cold ones with a tenth of that, as only touching less memory avoids them: by this
 * references and regions are ordered, worst first. part: of that reference of each
 * level (NULL: all of the level's). */
double plussi_misses_weight(const plussi_misses *misses); /* of those of one level */
double plussi_misses_cost(const plussi_level_result *level, size_t n,
                          const plussi_level_part *part);

/* The points borrow from the result. Regions are ordered by the cost of their points with the
 * largest team, of all recorded runs or the first of them; those without levels come last, by
 * their accesses. The caller frees, on failure too. O(curves * points of a region). */
PLUSS_NODISCARD pluss_status plussi_points_find(const plussi_mem *mem, const plussi_result *result,
                                                plussi_points *out);
void plussi_points_free(plussi_points *points);

/* The point of the region with the largest team, and, of those, the first. */
const plussi_point *plussi_points_widest(const plussi_points *points, size_t region);
/* Whether the identities are of the same region, with the same values and schedule. */
bool plussi_is_same_setting(const plussi_identity *a, const plussi_identity *b);

#endif

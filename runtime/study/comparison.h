/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results against each other: curves of the same region, values, team and threads a cache, as
 * predictions against exact curves; and levels of the same caches.
 */
#ifndef PLUSSI_STUDY_COMPARISON_H
#define PLUSSI_STUDY_COMPARISON_H

#include "profile/similarity.h"
#include "report/document.h"
#include "report/result.h"

typedef struct plussi_difference {
    plussi_mrc_error error;       /* a - b */
    uint64_t first, last;         /* ends of the grid, lines */
    plussi_similarity similarity; /* of what some size holds, in bins of eighths of an octave */
} plussi_difference;

/* On the grid of b's footprint, which is the measured one of the similarity. PLUSS_EINVAL: lines of
 * different sizes, no grid. O(grid log n). */
PLUSS_NODISCARD pluss_status plussi_curve_compare(plussi_ctx *ctx, const plussi_curve *a,
                                                  const plussi_curve *b, plussi_grid grid,
                                                  plussi_difference *out);

typedef struct plussi_pair {
    size_t a, b;  /* numbers of the curves in their results */
    char *region; /* of both */
    uint32_t team, threads_per_cache, line_bytes;
    plussi_difference difference;
} plussi_pair;

enum { PLUSSI_PART_CHANGES = 3 };

/* A reference whose misses differ by more than 1.96 standard errors. */
typedef struct plussi_part_change {
    char *text, *file; /* file NULL: not known */
    uint32_t line;
    bool write;
    double misses[2], error; /* error: standard error of their difference, >= 0 */
} plussi_part_change;

/* The same cache of the same region, values and team. */
typedef struct plussi_level_pair {
    char *region;
    char name[PLUSSI_LEVEL_NAME];
    uint32_t team, threads_per_cache, line_bytes;
    uint64_t ways;
    double misses[2], ratio[2]; /* of both; misses / accesses */
    double difference, error;   /* of the ratios, a - b; its standard error, negative: none */
    double accesses[2];
    size_t n_parts; /* references that changed most, the greatest change first */
    plussi_part_change part[PLUSSI_PART_CHANGES];
} plussi_level_pair;

typedef struct plussi_comparison {
    plussi_mem mem;
    plussi_grid grid;
    plussi_pair *pair;
    size_t n, cap;
    double mean_abs, most; /* of the pairs' mean absolute differences: mean, greatest */
    plussi_level_pair *level;
    size_t n_levels, cap_levels;
    double most_of_level; /* greatest absolute difference of a level's miss ratios */
} plussi_comparison;

/* In the order of a; of several curves of b that one of a could stand against, it is the first from
 * the same place, else the first. Of curves that have no
 * other one the context gets warnings, with the names; of levels, where both have some of the
 * region and team. PLUSS_ENOTFOUND: there is no pair. *out is the caller's
 * (plussi_comparison_free). O(curves of a * curves of b). */
PLUSS_NODISCARD pluss_status plussi_compare(plussi_ctx *ctx, const plussi_result *a,
                                            const plussi_result *b, plussi_grid grid,
                                            const char *a_name, const char *b_name,
                                            plussi_comparison *out);
void plussi_comparison_free(plussi_comparison *comparison);
/* level_changes.c: the references of two levels whose misses changed. PLUSS_ENOMEM.
 * O(references^2). */
PLUSS_NODISCARD pluss_status plussi_find_part_changes(plussi_comparison *c, plussi_level_pair *pair,
                                                      const plussi_level_result *a,
                                                      const plussi_level_result *b);
void plussi_level_pair_free(const plussi_mem *mem, plussi_level_pair *pair);
/* The misses differ by more than 1.96 standard errors. */
bool plussi_level_pair_changed(const plussi_level_pair *pair);
/* From a, the old one, to b, the new one: levels, and where they changed, references. */
void plussi_changes_report(const plussi_comparison *comparison, plussi_document *document);
void plussi_comparison_report(const plussi_comparison *comparison, plussi_document *document);

#endif

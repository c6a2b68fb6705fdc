/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What estimates need of a nest whose symbols have values, once for all its regions: how often each
 * reference is executed, and the exact misses that an estimate is compared with.
 */
#ifndef PLUSSI_STUDY_INDIRECT_VALUES_H
#define PLUSSI_STUDY_INDIRECT_VALUES_H

#include "cost/execution_counts.h"
#include "study/request.h"

typedef struct plussi_indirect_values {
    plussi_bound *bound; /* of one thread; NULL: nothing is evaluated yet */
    plussi_executions executed;
    size_t n_regions;
    bool has_exact;
    uint64_t *accesses; /* of lines, by region in order of the nest; these where has_exact */
    uint64_t *misses;   /* of the region, its stack empty at first, and the request's cache:
                           [region * n_caches + cache], fully associative LRU */
} plussi_indirect_values;

/* Fills what is zero at first. The walk is left out where the nest has more than 10^8 accesses:
 * O(accesses * log lines), else O(iterations of loops that decide how often others are executed).
 * PLUSS_EUNBOUND and the like: values that lack; PLUSS_EUNSUPPORTED: index arrays without contents;
 * PLUSS_ELIMIT: counting takes too long; PLUSS_ECANCELLED. *out is then zero again. The nest is
 * borrowed until plussi_indirect_values_free, which leaves zero. */
PLUSS_NODISCARD pluss_status plussi_indirect_evaluate(plussi_ctx *ctx, const plussi_nest *nest,
                                                      const plussi_request *request,
                                                      plussi_indirect_values *out);
void plussi_indirect_values_free(plussi_ctx *ctx, plussi_indirect_values *values);

#endif

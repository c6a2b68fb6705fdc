/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The levels of a memory hierarchy in a result.
 */
#ifndef PLUSSI_STUDY_LEVEL_RESULTS_H
#define PLUSSI_STUDY_LEVEL_RESULTS_H

#include "bound/bound.h"
#include "cache/simulator.h"
#include "model/model.h"
#include "report/result.h"
#include "study/locality.h"
#include "study/request.h"
#include "trace/trace.h"

/* Hierarchies that are evaluated together: they differ in the ways of one level. */
typedef struct plussi_hierarchies {
    size_t n; /* 0: none is asked for */
    plussi_hierarchy of[PLUSSI_SWEEP_MOST];
} plussi_hierarchies;

/* The request's levels, for a team of that many threads. PLUSS_EINVAL as plussi_hierarchy_check, or
 * the machine's levels are asked for, and its file has none or has other lines. */
PLUSS_NODISCARD pluss_status plussi_levels_of_request(plussi_ctx *ctx,
                                                      const plussi_request *request, uint32_t team,
                                                      plussi_hierarchies *out);

/* Which of the hierarchies a level is of. */
typedef struct plussi_sweep_point {
    size_t number, n; /* from 0 */
} plussi_sweep_point;
/* Appends level number `number` of a simulator that has counted one run of one reference, without
 * parts. */
PLUSS_NODISCARD pluss_status plussi_add_counted_level(plussi_ctx *ctx, const plussi_identity *id,
                                                      const plussi_cache_level *level,
                                                      plussi_sweep_point point, double accesses,
                                                      const plussi_cache_simulator *simulator,
                                                      size_t number, plussi_result *result);

/* Appends a level. id: of a curve of the same prediction or simulation, whose threads per cache are
 * replaced. counts: by reference of the bound nest, those without requests are left out; the errors
 * are of all, and so are the lines written back unless they are the sum of the references'. On
 * failure nothing is appended. O(references). */
PLUSS_NODISCARD pluss_status plussi_add_level(plussi_ctx *ctx, const plussi_bound *bound,
                                              const plussi_identity *id,
                                              const plussi_cache_level *level,
                                              plussi_sweep_point point, double accesses,
                                              const plussi_level_estimate *counts,
                                              plussi_result *result);
/* Predictions of the hierarchies' levels, which come from several models' runs. part NULL: not
 * predicted, or as of the first hierarchy. */
typedef struct plussi_predicted_levels {
    plussi_hierarchies hierarchies;
    plussi_level_estimate estimate[PLUSSI_SWEEP_MOST][PLUSSI_LEVELS_MOST];
    /* reuses that the first hierarchy's levels do not hold */
    plussi_reuse *lost[PLUSSI_LEVELS_MOST];
    size_t n_lost[PLUSSI_LEVELS_MOST];
} plussi_predicted_levels;

/* Moves the levels of an estimate, and tells the reuses that they do not hold. */
PLUSS_NODISCARD pluss_status plussi_take_levels(plussi_ctx *ctx, const plussi_bound *bound,
                                                plussi_predicted_levels *levels,
                                                plussi_estimate *from);
void plussi_predicted_levels_free(plussi_ctx *ctx, plussi_predicted_levels *levels);
/* Appends the first n levels of each, if all are predicted: what comes to each is what the one
 * before misses. */
PLUSS_NODISCARD pluss_status plussi_add_predicted_levels(plussi_ctx *ctx, const plussi_bound *bound,
                                                         const plussi_identity *id, double accesses,
                                                         size_t n, plussi_predicted_levels *levels,
                                                         plussi_result *result);

/* Accesses of a walk that gives addresses, counted by a simulator of each hierarchy, and as
 * locality profiles. */
typedef struct plussi_level_counter {
    plussi_cache_simulator *simulator[PLUSSI_SWEEP_MOST];
    const plussi_hierarchies *hierarchies; /* borrowed; n 0: none was asked for */
    const plussi_bound *bound;
    unsigned line_shift;
    plussi_cache_access *access; /* room for `most` */
    size_t most;
    plussi_locality *locality; /* NULL: none was asked for */
    uint64_t phase;            /* of the accesses that it has counted */
    bool by_construct; /* phases are not told by accesses' numbers: see plussi_count_levels */
    const plussi_bound_node *construct; /* by_construct: of the latest access */
    bool unsure; /* there was an access without a reference of the nest: the counts mean nothing */
} plussi_level_counter;

/* request: whether locality profiles are asked for, and sampled. The caller frees, on failure too.
 */
PLUSS_NODISCARD pluss_status plussi_level_counter_new(plussi_ctx *ctx, const plussi_bound *bound,
                                                      const plussi_hierarchies *hierarchies,
                                                      const plussi_request *request, uint32_t team,
                                                      size_t most, plussi_level_counter *out);
/* Stacks and hierarchies that an access goes through, in terms of an LRU stack. */
static inline uint64_t plussi_level_stacks(const plussi_level_counter *counter)
{
    enum { LOCALITY = 12 };
    return counter ? counter->hierarchies->n + (counter->locality ? LOCALITY : 0) : 0;
}
/* Empties the caches; the counts stay. */
PLUSS_NODISCARD pluss_status plussi_level_counter_empty(plussi_ctx *ctx,
                                                        plussi_level_counter *counter);
void plussi_level_counter_free(plussi_ctx *ctx, plussi_level_counter *counter);
/* At most `most` of them, of one phase; their addresses become lines. by_construct: a phase begins
 * where the construct changes that ends in a barrier around the reference: executions of one loop
 * that follow one another are one phase. */
PLUSS_NODISCARD pluss_status plussi_count_levels(plussi_level_counter *counter, uint64_t phase,
                                                 plussi_access *access, size_t n);
/* Appends all levels and locality profiles of a simulation of that many runs. */
PLUSS_NODISCARD pluss_status plussi_add_simulated_levels(plussi_ctx *ctx,
                                                         const plussi_level_counter *counter,
                                                         const plussi_identity *id, double accesses,
                                                         size_t runs, plussi_result *result);

#endif

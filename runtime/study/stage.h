/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the pipeline share.
 */
#ifndef PLUSSI_STUDY_STAGE_H
#define PLUSSI_STUDY_STAGE_H

#include "base/effort.h"
#include "cost/operation_counts.h"
#include "exact/lru.h"
#include "model/model.h"
#include "study/level_results.h"
#include "study/pipeline.h"
#include "trace/make_timelines.h"

/* ---- stage.c */
/* "with these values the program has no accesses" */
extern const char plussi_pipeline_no_accesses[];
PLUSS_NODISCARD pluss_status plussi_pipeline_bind(plussi_ctx *ctx, const plussi_nest *nest,
                                                  const plussi_request *request, uint32_t team,
                                                  plussi_bound **out);
/* PLUSS_ECANCELLED where the caller's callback says so. */
PLUSS_NODISCARD pluss_status plussi_pipeline_ask(const plussi_request *request, const char *stage,
                                                 double done, uint64_t steps);
/* The request of work that is a part of the request's (base/ask.h), which must not outlive *of. */
void plussi_ask_as_part(const plussi_request *request, const char *stage, double from, double part,
                        plussi_ask_part *of, plussi_request *out);
/* The request's law of thread progress. What is filled stays on failure. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_pipeline_tell_progress(plussi_ctx *ctx,
                                                           const plussi_request *request,
                                                           plussi_law_told *out);
/* Adds the profile's curve, which has these numbers already (footprint, errors, threads per cache;
 * mrc too, or it is made), and, where the request keeps profiles, the profile. Takes what both hold
 * in any case. */
PLUSS_NODISCARD pluss_status plussi_pipeline_add(plussi_ctx *ctx, const plussi_bound *bound,
                                                 const plussi_request *request, bool simulated,
                                                 const char *engine, plussi_profile *profile,
                                                 plussi_curve *numbers, plussi_result *result);

/* The different caches that are asked for at this team, in order; 0: of all threads. *out is the
 * caller's (plussi_free). */
PLUSS_NODISCARD pluss_status plussi_pipeline_threads_per_cache(plussi_ctx *ctx,
                                                               const plussi_request *request,
                                                               uint32_t team, uint32_t **out,
                                                               size_t *n);
uint32_t plussi_largest_team(const plussi_bound *bound); /* of any of its constructs */

/* Of the hierarchies' levels those threads per cache that are not among the n that there are; how
 * many they are, at most PLUSSI_LEVELS_MOST. */
size_t plussi_pipeline_other_levels(const plussi_hierarchies *h, const plussi_bound *bound,
                                    const uint32_t *have, size_t n, uint32_t *out);

bool plussi_pipeline_has_operations(const plussi_nest *nest); /* it has counts of them */
/* plussi_visit_operations with the request's numbers. */
PLUSS_NODISCARD pluss_status plussi_pipeline_visit_operations(
    plussi_ctx *ctx, const plussi_nest *nest, const plussi_request *request, uint32_t team,
    plussi_operation_fn visit, void *user);
/* Of the result's levels from number `first` on, those of a team: how many instructions the program
 * executes, if the nest has counts of operations. What cannot be counted is warned of.
 * PLUSS_ENOMEM.
 */
PLUSS_NODISCARD pluss_status plussi_pipeline_tell_instructions(plussi_ctx *ctx,
                                                               const plussi_nest *nest,
                                                               const plussi_request *request,
                                                               uint32_t team, size_t first,
                                                               plussi_result *result);

/* ---- sweep.c */
typedef pluss_status (*plussi_engine_fn)(plussi_ctx *ctx, const plussi_nest *nest,
                                         const plussi_request *request, plussi_result *out);
/* Team by team, the engine's results for each of the request's lines; their levels are points of
 * one sweep. */
PLUSS_NODISCARD pluss_status plussi_pipeline_sweep_lines(plussi_ctx *ctx, const plussi_nest *nest,
                                                         const plussi_request *request,
                                                         plussi_engine_fn engine,
                                                         plussi_result *out);
/* The same of a trace: the request of the engine has its path, and no nest. */
PLUSS_NODISCARD pluss_status plussi_pipeline_sweep_trace(plussi_ctx *ctx, const char *path,
                                                         const plussi_request *request,
                                                         plussi_engine_fn engine,
                                                         plussi_result *out);

/* ---- timelines.c */
/* The request with the chunks of run i of its timelines, unless it asks for a schedule. */
void plussi_pipeline_as_run(const plussi_request *request, size_t i, plussi_request *out);
/* The runs' timelines made to fit a bound nest; that of the first run alone, where runs have chunks
 * of their own. The caller frees (plussi_pipeline_unfit, on failure too). */
typedef struct plussi_fitted {
    plussi_timelines all;    /* its arena is not used */
    plussi_timelines **each; /* one run each, n of them */
    size_t n;
} plussi_fitted;
PLUSS_NODISCARD pluss_status plussi_pipeline_fit(plussi_ctx *ctx, const plussi_bound *bound,
                                                 const plussi_request *request, plussi_fitted *out);
void plussi_pipeline_unfit(plussi_ctx *ctx, plussi_fitted *fitted);

/* ---- draw_for_nest.c */
/* RATES with those of single loops, for the bound nest's team. */
bool plussi_pipeline_has_loop_rates(const plussi_request *request, const plussi_bound *bound);
/* Timelines of that many runs of the bound nest, drawn from the request's rates. The
 * caller frees (plussi_timelines_free). Untouched, with a warning, where there are too many phases.
 */
PLUSS_NODISCARD pluss_status plussi_pipeline_draw_timelines(plussi_ctx *ctx,
                                                            const plussi_bound *bound,
                                                            const plussi_request *request,
                                                            size_t runs, plussi_timelines **out);

/* ---- draw_pool.c */
/* POOL: the timeline of a run, with its chunks, of the nest with the request's values. The caller
 * frees. PLUSS_EUNSUPPORTED: it has other parallel loops than Rayon's, or several between two
 * barriers. */
PLUSS_NODISCARD pluss_status plussi_pipeline_draw_pool(plussi_ctx *ctx, const plussi_nest *nest,
                                                       const plussi_request *request, uint32_t team,
                                                       plussi_timelines **out);

/* ---- kept_program.c */
/* The bound nest of a team, as the request's store knows it; out->store NULL: nothing of it is
 * kept. The caller ends it, on failure too. PLUSS_ENOMEM. O(nest's text). */
PLUSS_NODISCARD pluss_status plussi_pipeline_begin_kept(plussi_ctx *ctx, const plussi_nest *nest,
                                                        const plussi_request *request,
                                                        uint32_t team, plussi_kept_program *out);
void plussi_pipeline_end_kept(plussi_kept_program *program);

/* ---- prediction.c */
/* One prediction, and what models may share with the ones before. */
typedef struct plussi_prediction {
    const plussi_nest *nest;
    const plussi_request *request;
    const plussi_model *model;
    const plussi_bound *bound;  /* at the team that is predicted */
    plussi_result *locality;    /* profiles that models take; without any: not made yet */
    plussi_pri *pri;            /* of the prediction before; team 0: none */
    size_t first_diag;          /* of this call */
    double done, part;          /* of all that is asked for: before this prediction, and it */
    uint32_t threads_per_cache; /* 0: all */
    uint64_t effort;            /* steps that this prediction may take */
    plussi_effort *walk;        /* the same, by walking */
    plussi_predicted_levels *levels;
    const plussi_kept_program *kept; /* as of a model's input */
    bool apart;      /* the curve alone, its levels have predictions of their own, coarse ones */
    uint32_t coarse; /* as of a model's input */
} plussi_prediction;

/* ---- sampled_input.c: the sampled trace of the request's block, and the intervals of references
 * that it has no access of. PLUSS_EUNSUPPORTED, with the reason: there is none of this team and
 * schedule. The caller frees both. */
PLUSS_NODISCARD pluss_status plussi_pipeline_sampled(plussi_ctx *ctx, const plussi_prediction *job,
                                                     plussi_sampled_trace *out,
                                                     plussi_histo *untraced);

/* ---- explanation.c: fills the curve's knees from the model's result; the rest is there. On
 * failure what is filled stays, for plussi_curve_free. */
PLUSS_NODISCARD pluss_status plussi_pipeline_explain(plussi_ctx *ctx, const plussi_bound *bound,
                                                     const plussi_estimate *from,
                                                     plussi_curve *curve);

/* The reuses over more than that many lines, of that many accesses, the largest share first, at
 * most 32 of them. The caller frees *out (plussi_reuses_free), on failure too. */
PLUSS_NODISCARD pluss_status plussi_pipeline_lost(plussi_ctx *ctx, const plussi_bound *bound,
                                                  const plussi_estimate *from, uint64_t lines,
                                                  double accesses, plussi_reuse **out, size_t *n);

/* Appends a curve that is whole and, where the request keeps profiles, its profile, with the
 * curve's identity (bound: whose references its parts are; NULL: it has none). On failure they
 * stay. */
PLUSS_NODISCARD pluss_status plussi_pipeline_keep(plussi_ctx *ctx, const plussi_bound *bound,
                                                  const plussi_request *request,
                                                  plussi_profile *profile, plussi_curve *curve,
                                                  plussi_result *result);
/* The curve of a profile of one run has a whole number of accesses: what is not whole of a sum of
 * weights is rounding. PLUSS_EEMPTY: no accesses. */
PLUSS_NODISCARD pluss_status plussi_pipeline_curve(plussi_ctx *ctx, const plussi_profile *profile,
                                                   plussi_mrc *out);

/* The same of an order that a run had, or (engine not NULL) of a prediction from it: fills the
 * curve, whose region, file, team, line and footprint are there. */
PLUSS_NODISCARD pluss_status plussi_pipeline_add_recorded(plussi_ctx *ctx,
                                                          const plussi_request *request,
                                                          plussi_profile *profile,
                                                          plussi_curve *curve,
                                                          plussi_result *result);

/* ---- distances.c */
/* ---- profiles.c: texts and places of references and loops; of a profile, those of its parts.
 * What is filled stays on failure. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_place_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                                   const plussi_bound_node *node, char **file,
                                                   uint32_t *line);
PLUSS_NODISCARD pluss_status plussi_profile_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                                     plussi_profile *profile);
PLUSS_NODISCARD pluss_status plussi_site_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                                  const plussi_bound_node *ref, plussi_site *out);

/* Of a reference by its number: its text and place, the IV of the innermost loop around it, and its
 * line (0: not known). */
PLUSS_NODISCARD pluss_status plussi_part_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                                  uint32_t number, plussi_site *site, char **loop,
                                                  uint32_t *loop_line);

/* Touches by distance; distances are below the footprint, so an array is smallest and fastest. */
typedef struct plussi_distances {
    uint64_t *count;
    size_t n;
    uint64_t cold;
} plussi_distances;

/* Counts one that there is no counter of yet, as plussi_count_distance. */
PLUSS_NODISCARD pluss_status plussi_count_new_distance(plussi_ctx *ctx, plussi_distances *d,
                                                       uint64_t distance);
/* Counts one. PLUSS_ENOMEM: the distance is PLUSSI_LRU_FAIL, or there is no room for it. */
PLUSS_NODISCARD static inline pluss_status
plussi_count_distance(plussi_ctx *ctx, plussi_distances *d, uint64_t distance)
{
    if (__builtin_expect(distance >= d->n, 0))
        return plussi_count_new_distance(ctx, d, distance);
    d->count[distance]++;
    return PLUSS_OK;
}

/* Caches that N threads share each: a stack for each of them, their distances together. */
typedef struct plussi_caches {
    uint32_t threads_per_cache; /* 0: all */
    plussi_lru **lru;
    size_t n;
    plussi_distances *d; /* by reference, by stack, or one of all */
    size_t n_d;
    bool by_stack;
} plussi_caches;

/* Which distances an access of a stack is counted among. */
static inline uint32_t plussi_caches_part(const plussi_caches *c, uint32_t ref, size_t stack)
{
    return c->n_d == 1 ? 0 : c->by_stack ? (uint32_t)stack : ref;
}

/* The caller frees, on failure too. */
PLUSS_NODISCARD pluss_status plussi_caches_new(plussi_ctx *ctx, uint32_t team,
                                               uint32_t threads_per_cache, size_t n_d,
                                               plussi_caches *out);
void plussi_caches_free(plussi_ctx *ctx, plussi_caches *caches);
void plussi_caches_empty(plussi_caches *caches);
enum { PLUSSI_BATCH = 4096 };
/* These accesses through each stack, one by one. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_count_batch(plussi_ctx *ctx, plussi_caches *caches,
                                                const plussi_access *access, size_t n);
/* The trace to its end, or as far as the effort allows (NULL: not bounded), through each of
 * n_caches; levels: or NULL, through these too (the trace then gives addresses). *accesses goes up.
 * The caller's status is told `what` it is, and of how many accesses (total; 0: as the trace tells)
 * it has done how many. Long traces are counted by as many threads as there are processors
 * (study/slices.h); the levels, by the caller's. */
PLUSS_NODISCARD pluss_status plussi_caches_count(plussi_ctx *ctx, const plussi_request *request,
                                                 const char *what, uint64_t total,
                                                 plussi_trace *trace, plussi_effort *effort,
                                                 plussi_caches *caches, size_t n_caches,
                                                 plussi_level_counter *levels, uint64_t *accesses);
/* The profile of that many runs; parts: each of the n counts is that of the reference of its
 * number. */
PLUSS_NODISCARD pluss_status plussi_distances_profile(plussi_ctx *ctx, const plussi_distances *d,
                                                      size_t n, bool parts, double runs,
                                                      plussi_profile *out);

/* ---- recorded_schedule.c */
/* Whether iterations are handed out in *request as they were where its block was recorded (false
 * without a block), so that what was recorded holds. O(nodes). */
PLUSS_NODISCARD pluss_status plussi_pipeline_has_recorded_schedule(plussi_ctx *ctx,
                                                                   const plussi_nest *nest,
                                                                   const plussi_request *request,
                                                                   bool *out);
void plussi_pipeline_warn_of_schedule(plussi_ctx *ctx,
                                      const plussi_record_block *block); /* warns */

/* ---- intervals.c */
/* The private reuse intervals at the team asked for: those of the prediction before where they are
 * the same. */
PLUSS_NODISCARD pluss_status plussi_pipeline_collect(plussi_ctx *ctx, plussi_prediction *job);

#endif

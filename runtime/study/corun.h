/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Co-runs: programs that share a cache and no lines. In a time each makes as many accesses as its
 * rate says. One that ends begins again, on its own memory, until each has ended once: so each has
 * the others beside it all the time. The first runs are counted.
 */
#ifndef PLUSSI_STUDY_CORUN_H
#define PLUSSI_STUDY_CORUN_H

#include "exact/lru.h"
#include "study/stage.h"
#include "trace/foreign.h"
#include "trace/walk.h"

/* A nest, at the team and with the values of the request; a trace, in its own order; or the profile
 * of a program, which has no order. */
typedef struct plussi_program {
    const plussi_nest *nest;
    const char *trace;
    const plussi_profile *profile;
} plussi_program;

/* A curve of each program alone ("1: gemm"), of each in the shared cache ("1: gemm, co-run"), and
 * of all their accesses in it ("co-run"). Predicted from what each does alone, by the model crd;
 * simulated by making the accesses in an order in which the next one is a program's with a
 * probability in proportion to its rate. PLUSS_EINVAL: fewer than two programs, more than
 * PLUSSI_PROGRAMS_MOST, other numbers of rates; PLUSS_EUNSUPPORTED: what is asked for knows no
 * co-runs (recorded orders, levels, several lines, profiles where accesses are walked). Predicted
 * in O(a prediction of each nest, accesses of each trace); simulated in O(accesses). */
PLUSS_NODISCARD pluss_status plussi_corun_predict(plussi_ctx *ctx, const plussi_program *program,
                                                  size_t n, const plussi_request *request,
                                                  plussi_result *out);
PLUSS_NODISCARD pluss_status plussi_corun_simulate(plussi_ctx *ctx, const plussi_program *program,
                                                   size_t n, const plussi_request *request,
                                                   plussi_result *out);

/* ---- corun.c */

/* What each program is asked for, one team: bindings that the nest has, no levels. The caller frees
 * the list `binding`. */
PLUSS_NODISCARD pluss_status plussi_corun_request(plussi_ctx *ctx, const plussi_program *program,
                                                  const plussi_request *request,
                                                  const uint32_t *team, plussi_request *out);
double plussi_corun_rate(const plussi_request *request, size_t i);
/* The result has the n programs' curves alone, and nothing else; adds those in the shared cache,
 * from the distances there (with cold) of each program's accesses. */
PLUSS_NODISCARD pluss_status plussi_corun_add(plussi_ctx *ctx, const plussi_request *request,
                                              const plussi_histo *shared, size_t n,
                                              const char *engine, plussi_result *result);
/* The curve of a program alone, from its distances. bound: of a nest, which is simulated; else that
 * of a trace. engine: of a trace's prediction; NULL: its order is simulated. */
PLUSS_NODISCARD pluss_status plussi_corun_add_alone(plussi_ctx *ctx, const plussi_program *program,
                                                    const plussi_bound *bound,
                                                    const plussi_request *request,
                                                    const plussi_distances *distances,
                                                    const char *engine, plussi_result *result);
typedef pluss_status (*plussi_corun_team_fn)(plussi_ctx *ctx, const plussi_program *program,
                                             size_t n, const plussi_request *request,
                                             const uint32_t *team, plussi_result *out);
/* Each team of the request in turn, which is told as a part of all. */
PLUSS_NODISCARD pluss_status plussi_corun_teams(plussi_ctx *ctx, const plussi_program *program,
                                                size_t n, const plussi_request *request,
                                                plussi_corun_team_fn each, plussi_result *out);
/* PLUSS_EINVAL, PLUSS_EUNSUPPORTED, as above. */
PLUSS_NODISCARD pluss_status plussi_corun_check(plussi_ctx *ctx, const plussi_program *program,
                                                size_t n, const plussi_request *request);
/* "crd, rates 1, 0.7", cut off where there is no room. */
void plussi_corun_engine(const plussi_request *request, const char *model, size_t n, char *out,
                         size_t room);

/* ---- corun_source.c: the lines that a program touches, in its own order, again and again */

typedef struct plussi_corun_source plussi_corun_source;
/* request: of plussi_corun_request, borrowed, as the program is. The caller frees. */
PLUSS_NODISCARD pluss_status plussi_corun_source_new(plussi_ctx *ctx, const plussi_program *program,
                                                     const plussi_request *request,
                                                     plussi_effort *effort,
                                                     plussi_corun_source **out);
/* Up to cap next lines; *n 0: the program ends; then it begins again. PLUSS_EEMPTY: it has no
 * accesses. */
PLUSS_NODISCARD pluss_status plussi_corun_source_next(plussi_corun_source *source, uint64_t *line,
                                                      size_t cap, size_t *n);
/* How much of the program has been given since it last began, in [0, 1]; negative: not known. */
double plussi_corun_source_done(const plussi_corun_source *source);
/* Of a nest; NULL: it is none. */
const plussi_bound *plussi_corun_source_bound(const plussi_corun_source *source);
void plussi_corun_source_free(plussi_corun_source *source); /* NULL is allowed */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Evaluates the nests of a file, several of them at the same time.
 */
#ifndef PLUSSI_STUDY_EVALUATE_NESTS_H
#define PLUSSI_STUDY_EVALUATE_NESTS_H

#include "study/evaluate.h"

/* A nest's results as plussi_evaluate_points has them, and its messages. */
typedef struct plussi_evaluated {
    plussi_ctx ctx;
    plussi_result result;
    pluss_status status;
} plussi_evaluated;

/* Takes what it wants of a nest's evaluation; the rest is freed. Not PLUSS_OK: no other is begun.
 */
typedef pluss_status (*plussi_evaluated_fn)(void *user, plussi_evaluated *evaluated);

/* Evaluates each of the n nests, with those of the request's bindings that it has symbols for, and
 * calls `take`, from the calling thread and in the order of the nests. together: at the same time,
 * by the request's workers, as far as nests are independent of each other; these workers are all
 * that work: a nest that is parallel inside uses those that have no nest. Results and messages do
 * not depend on the number of workers. Of several nests the caller's callback is told what part of
 * all of them is done. Returns what `take` returned, PLUSS_ENOMEM or PLUSS_ECANCELLED; each of them
 * ends the evaluation, after `take` has had the nests before and the one that ended it. */
PLUSS_NODISCARD pluss_status plussi_evaluate_nests(plussi_ctx *ctx, const plussi_nest *const *nest,
                                                   size_t n, const plussi_request *request,
                                                   plussi_study_fn engine, bool together,
                                                   plussi_evaluated_fn take, void *user);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points of a request: combinations of the values and the schedules that it lists.
 */
#ifndef PLUSSI_STUDY_POINTS_H
#define PLUSSI_STUDY_POINTS_H

#include "study/evaluate.h"

/* Whether the request lists values or schedules. */
static inline bool plussi_has_points(const plussi_request *request)
{
    return request->n_lists > 0 || request->n_choices > 1;
}

/* Evaluates the request, whose bindings are those that the nest has symbols for, at each of its
 * points: values change slowest, in the order of the lists, schedules fastest. Lists of other
 * nests' symbols are passed by. A point that fails keeps no other from being evaluated: it is told,
 * and the status is that of the first failure, unless memory lacks or the evaluation is cancelled,
 * which ends it. PLUSS_ELIMIT: more than PLUSSI_POINTS_MOST points. */
PLUSS_NODISCARD pluss_status plussi_evaluate_points(plussi_ctx *ctx, const plussi_nest *nest,
                                                    const plussi_request *request,
                                                    plussi_study_fn engine, plussi_result *out);
/* PLUSS_EUNSUPPORTED, which is told, where the request has points: what asks for one at a time. */
PLUSS_NODISCARD pluss_status plussi_refuse_points(plussi_ctx *ctx, const plussi_request *request);

#endif

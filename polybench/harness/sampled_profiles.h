/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profile sampling with pruning: Wu and Yeung, ACM TOCS 2013, section 7.1. Intervals in which
 * accesses are profiled, from empty stacks on, alternate with others in which they are passed over.
 */
#ifndef POLYBENCH_SAMPLED_PROFILES_H
#define POLYBENCH_SAMPLED_PROFILES_H

#include "report/result.h"
#include "study/request.h"

typedef struct sampling_rate {
    uint64_t profiled, passed; /* accesses of an interval: T_p (it may last longer), T_f */
    double pruning;            /* it lasts until this share of the lines met in T_p is reused */
} sampling_rate;

/* Appends the locality profiles of a team's merged order, scaled to all its accesses. Lines that an
 * interval meets once are its cold accesses. *seconds grows by the processor time. */
pluss_status sampled_profiles(plussi_ctx *ctx, const plussi_nest *nest,
                              const plussi_request *request, uint32_t team,
                              const sampling_rate *rate, plussi_result *out, double *seconds);

#endif

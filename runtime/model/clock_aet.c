/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stack distances from reuse intervals, for each part of the program: AET (Hu et al. 2016). Within
 * a part P(> t) is the fraction of accesses whose interval exceeds t; the window of an interval r
 * holds about F(r) = sum over t < r of P(> t) distinct lines.
 */
#include "model/clock_state.h"

static uint64_t key_cold(const plussi_clock_sample *x)
{
    return x->cold;
}

static uint64_t key_interval(const plussi_clock_sample *x)
{
    return x->interval;
}

pluss_status plussi_clock_aet(plussi_ctx *ctx, plussi_clock_plan *plan)
{
    static const plussi_clock_key by_part[] = {plussi_clock_key_part, key_cold, key_interval,
                                               plussi_clock_key_number,
                                               plussi_clock_key_replication};
    pluss_status status = plussi_clock_order(ctx, plan, by_part, 5);
    if (status)
        return status;
    for (size_t i = 0, j; i < plan->n; i = j) {
        double all = 0, left, lines = 0;
        uint64_t at = 0;
        for (j = i; j < plan->n && plan->sample[j].part == plan->sample[i].part; j++)
            all += plan->sample[j].weight;
        left = all; /* weight of the intervals above `at` */
        for (size_t k = i; k < j && !plan->sample[k].cold; k++) {
            plussi_clock_sample *x = &plan->sample[k];
            lines += (double)(x->interval - at) * (left / all);
            at = x->interval;
            x->distance = lines;
            left -= x->weight;
        }
    }
    return PLUSS_OK;
}

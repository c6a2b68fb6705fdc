/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stack distances from reuse intervals, for each part of the program: AET (Hu et al. 2016). Within
 * a part P(> t) is the fraction of accesses whose interval exceeds t; the window of an interval r
 * holds about F(r) = sum over t < r of P(> t) distinct lines.
 */
#include <stdlib.h>

#include "model/clock_state.h"

static int by_part(const void *a, const void *b)
{
    const plussi_clock_sample *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->cold != y->cold)
        return x->cold ? 1 : -1;
    if (x->interval != y->interval)
        return x->interval < y->interval ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->replication < y->replication ? -1 : x->replication > y->replication;
}

void plussi_clock_aet(plussi_clock_plan *plan)
{
    qsort(plan->sample, plan->n, sizeof *plan->sample, by_part);
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
}

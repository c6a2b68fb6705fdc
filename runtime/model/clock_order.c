/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Orders of samples.
 */
#include "base/radix.h"
#include "model/clock_state.h"

/* Makes sample order[i].index number i, for all i, cycle by cycle: samples are large, and memory
 * for a second list of them costs more than they do. The order is used up. */
static void put_in_order(plussi_clock_sample *sample, plussi_keyed *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (order[i].index == i)
            continue;
        const plussi_clock_sample first = sample[i];
        size_t at = i;
        for (size_t from; (from = order[at].index) != i; at = from) {
            sample[at] = sample[from];
            order[at].index = (uint32_t)at;
        }
        sample[at] = first;
        order[at].index = (uint32_t)at;
    }
}

pluss_status plussi_clock_order(plussi_ctx *ctx, plussi_clock_plan *plan,
                                const plussi_clock_key *key, uint32_t n_keys)
{
    const size_t n = plan->n;
    plussi_keyed *order = plussi_alloc(&ctx->mem, 2 * n + 1, sizeof *order);
    if (!order)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i++)
        order[i].index = (uint32_t)i;
    for (uint32_t k = n_keys; k-- > 0;) {
        for (size_t i = 0; i < n; i++)
            order[i].key = key[k](&plan->sample[order[i].index]);
        plussi_radix_sort(order, order + n, n);
    }
    put_in_order(plan->sample, order, n);
    plussi_free(&ctx->mem, order);
    return PLUSS_OK;
}

uint64_t plussi_clock_key_number(const plussi_clock_sample *x)
{
    return x->number;
}

uint64_t plussi_clock_key_part(const plussi_clock_sample *x)
{
    return x->part;
}

uint64_t plussi_clock_key_group(const plussi_clock_sample *x)
{
    return x->group;
}

uint64_t plussi_clock_key_stratum(const plussi_clock_sample *x)
{
    return x->stratum;
}

uint64_t plussi_clock_key_replication(const plussi_clock_sample *x)
{
    return x->replication;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of samples by the attribution of their distances.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/clock_state.h"

static int64_t id_of(const plussi_bound_node *node)
{
    return node ? (int64_t)node->id : -1;
}

/* In text order of references and loops, cold accesses last, short distances first. */
static int by_attribution(const void *a, const void *b)
{
    const plussi_attribution *x = a, *y = b;
    int64_t key[2][6] = {{id_of(x->ref), !x->source, id_of(x->source), id_of(x->loop),
                          8 * x->other_thread + x->carrier, (int64_t)x->size},
                         {id_of(y->ref), !y->source, id_of(y->source), id_of(y->loop),
                          8 * y->other_thread + y->carrier, (int64_t)y->size}};
    for (int i = 0; i < 6; i++)
        if (key[0][i] != key[1][i])
            return key[0][i] < key[1][i] ? -1 : 1;
    return 0;
}

/* Weights are summed from the lightest up, so that the sum does not depend on the sort or on the
 * order of the samples. */
static int by_attribution_and_weight(const void *a, const void *b)
{
    const plussi_attribution *x = a, *y = b;
    int order = by_attribution(a, b);
    return order ? order : (x->weight > y->weight) - (x->weight < y->weight);
}

/* The smallest size that holds the distance; the grid ends with the footprint. */
static uint64_t size_that_holds(double distance, double footprint)
{
    double least = ceil(distance - 1e-9), size = 1; /* as in the curve */
    for (double k = floor(8 * log2(least > 1 ? least : 1)) - 1; size < least; k++)
        size = round(exp2(k / 8));
    return (uint64_t)(least <= footprint && size > footprint ? footprint : size);
}

pluss_status plussi_clock_attribute(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                    plussi_clock_result *out)
{
    plussi_attribution *c = plussi_alloc(&ctx->mem, plan->n + 1, sizeof *c);
    if (!c)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < plan->n; i++) {
        const plussi_clock_sample *x = &plan->sample[i];
        c[i] = (plussi_attribution){.ref = x->ref, .weight = x->weight};
        if (x->cold)
            continue;
        c[i].source = x->source;
        c[i].loop = x->loop;
        c[i].carrier = x->carrier;
        c[i].other_thread = x->other_thread;
        c[i].size = size_that_holds(x->distance, out->estimate.footprint);
    }
    qsort(c, plan->n, sizeof *c, by_attribution_and_weight);
    size_t n = 0;
    for (size_t i = 0; i < plan->n; i++) {
        if (n > 0 && by_attribution(&c[n - 1], &c[i]) == 0)
            c[n - 1].weight += c[i].weight;
        else
            c[n++] = c[i];
    }
    out->estimate.attribution = c;
    out->estimate.n_attributions = n;
    return PLUSS_OK;
}

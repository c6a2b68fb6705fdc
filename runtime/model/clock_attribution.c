/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of samples by the attribution of their distances.
 */
#include <math.h>
#include <stdlib.h>

#include "base/radix.h"
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

/* The smallest size that holds the distance; the grid ends with the footprint. */
static uint64_t size_that_holds(double distance, double footprint)
{
    double least = ceil(distance - 1e-9), size = 1; /* as in the curve */
    for (double k = floor(8 * log2(least > 1 ? least : 1)) - 1; size < least; k++)
        size = round(exp2(k / 8));
    return (uint64_t)(least <= footprint && size > footprint ? footprint : size);
}

static plussi_attribution attribution_of(const plussi_clock_sample *x, double footprint)
{
    plussi_attribution a = {.ref = x->ref, .weight = x->weight};
    if (x->cold)
        return a;
    a.source = x->source;
    a.loop = x->loop;
    a.carrier = x->carrier;
    a.other_thread = x->other_thread;
    a.size = size_that_holds(x->distance, footprint);
    return a;
}

static uint64_t hash_attribution(const plussi_attribution *a)
{
    uint64_t h = plussi_mix((uint64_t)id_of(a->ref), (uint64_t)id_of(a->source));
    h = plussi_mix(h, (uint64_t)id_of(a->loop));
    return plussi_mix(plussi_mix(h, 8 * a->other_thread + a->carrier), a->size);
}

/* Weights are summed from the lightest up, so that the sum does not depend on the order of the
 * samples. */
pluss_status plussi_clock_attribute(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                    plussi_clock_result *out)
{
    size_t n = 0, room = 64;
    while (room < 2 * plan->n)
        room *= 2;
    plussi_attribution *c = plussi_alloc(&ctx->mem, plan->n + 1, sizeof *c);
    plussi_keyed *order = plussi_alloc(&ctx->mem, 2 * plan->n + 1, sizeof *order);
    uint32_t *slot = plussi_calloc(&ctx->mem, room, sizeof *slot); /* number of a sum + 1 */
    if (!c || !order || !slot) {
        plussi_free(&ctx->mem, c);
        plussi_free(&ctx->mem, order);
        plussi_free(&ctx->mem, slot);
        return PLUSS_ENOMEM;
    }
    for (size_t i = 0; i < plan->n; i++)
        order[i] = (plussi_keyed){plussi_radix_of_double(plan->sample[i].weight), (uint32_t)i};
    plussi_radix_sort(order, order + plan->n, plan->n);
    for (size_t i = 0; i < plan->n; i++) {
        c[n] = attribution_of(&plan->sample[order[i].index], out->estimate.footprint);
        size_t at = hash_attribution(&c[n]) & (room - 1);
        while (slot[at] && by_attribution(&c[slot[at] - 1], &c[n]) != 0)
            at = (at + 1) & (room - 1);
        if (slot[at])
            c[slot[at] - 1].weight += c[n].weight;
        else
            slot[at] = (uint32_t)++n;
    }
    qsort(c, n, sizeof *c, by_attribution);
    plussi_free(&ctx->mem, order);
    plussi_free(&ctx->mem, slot);
    out->estimate.attribution = c;
    out->estimate.n_attributions = n;
    return PLUSS_OK;
}

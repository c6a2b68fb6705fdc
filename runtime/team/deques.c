/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/deques.h"

#include "team/chunk_log.h"

/* Index i of a deque holds the right half of a range that was halved i times before (the old end
 * may be empty): 64 always suffice. */
typedef struct plussi_deque {
    plussi_range range[64]; /* old to young */
    unsigned old, young;
} deque;

pluss_status plussi_deques_new(plussi_ctx *ctx, const plussi_pool_loop *loop, uint32_t team,
                               plussi_deques *out, plussi_range *whole)
{
    const uint64_t least = loop->least ? loop->least : 1;
    const uint64_t longest = loop->most > least ? loop->most : least;
    const uint64_t splits = loop->most ? loop->n / loop->most : 0;
    *out = (plussi_deques){.team = team, .least = least};
    *whole = (plussi_range){{0, loop->n}, splits > team ? splits : team};
    /* A lower bound known beforehand: n / most, unless halves become too short. */
    pluss_status status = loop->most ? plussi_check_chunks(ctx, loop->n / 2 / longest) : PLUSS_OK;
    if (status)
        return status;
    out->of = plussi_calloc(&ctx->mem, team, sizeof *out->of);
    return out->of ? PLUSS_OK : PLUSS_ENOMEM;
}

void plussi_deques_free(plussi_ctx *ctx, plussi_deques *deques)
{
    plussi_free(&ctx->mem, deques->of);
}

bool plussi_deques_split(plussi_deques *deques, uint32_t thread, plussi_range *range, bool stolen)
{
    deque *d = &deques->of[thread];
    const uint64_t half = (range->at.hi - range->at.lo) / 2, middle = range->at.lo + half;
    if (half < deques->least || (!stolen && range->splits == 0))
        return false;
    range->splits /= 2;
    if (stolen && range->splits < deques->team)
        range->splits = deques->team;
    d->range[d->young++] = (plussi_range){{middle, range->at.hi}, range->splits};
    range->at.hi = middle;
    deques->waiting++;
    return true;
}

bool plussi_deques_take(plussi_deques *deques, uint32_t thread, plussi_range *out)
{
    deque *d = &deques->of[thread];
    if (d->old == d->young)
        return false;
    *out = d->range[--d->young];
    deques->waiting--;
    return true;
}

plussi_range plussi_deques_steal(plussi_deques *deques, uint32_t thief, plussi_rng *rng)
{
    uint32_t victim = (uint32_t)plussi_rng_below(rng, deques->team);
    while (deques->of[victim].old == deques->of[victim].young)
        victim = (victim + 1) % deques->team;
    deques->waiting--;
    deques->of[thief].old = deques->of[thief].young = 0;
    return deques->of[victim].range[deques->of[victim].old++];
}

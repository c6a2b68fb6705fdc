/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Several hierarchies on the same samples: the windows are found once, what each hierarchy's levels
 * hold is asked of them in turn. Shared levels find windows of their own, with draws of their own:
 * those of other samples stay as they are.
 */
#include <string.h>

#include "model/clock_state.h"

size_t plussi_clock_outcomes(const plussi_clock_options *options, const plussi_clock_draws *draws)
{
    return draws->again || options->n_hierarchies < 2 ? 0 : options->n_hierarchies;
}

static plussi_clock_options take_hierarchy(const plussi_clock_options *options, uint32_t h)
{
    plussi_clock_options one = *options;
    one.shape = options->shape + (size_t)h * options->n_shapes;
    one.n_hierarchies = 1;
    return one;
}

static void look_up(plussi_clock_run *run, plussi_clock_sample *x)
{
    x->levels = (plussi_clock_outcome){0};
    plussi_clock_find_sets(run, x);
    plussi_clock_find_dirty(run, x);
}

void plussi_clock_find_levels(plussi_clock_run *run, plussi_clock_sample *x,
                              plussi_clock_outcome *outcome)
{
    const plussi_clock_options *all = run->options;
    const plussi_rng drawn = run->rng;
    for (uint32_t h = 0; h < (outcome ? all->n_hierarchies : 1); h++) {
        const plussi_clock_options one = take_hierarchy(all, h);
        run->options = &one;
        look_up(run, x);
        if (outcome)
            outcome[h] = x->levels;
        run->rng = drawn;
    }
    run->options = all;
}

void plussi_clock_find_shared_levels(plussi_clock_run *run, plussi_clock_sample *x,
                                     plussi_clock_outcome *outcome)
{
    const plussi_clock_options *all = run->options;
    const plussi_rng drawn = run->rng;
    for (uint32_t h = 0; h < (outcome ? all->n_hierarchies : 1); h++) {
        const plussi_clock_options one = take_hierarchy(all, h);
        run->options = &one;
        x->levels = outcome ? outcome[h] : x->levels;
        plussi_clock_find_shared(run, x);
        if (outcome)
            outcome[h] = x->levels;
    }
    run->options = all;
    run->rng = drawn;
}

static bool has_others(plussi_clock_run *run, const plussi_clock_sample *x)
{
    const uint32_t own = (uint32_t)run->cursor.iv[0];
    if (!x->cold && (x->loss || run->source != own))
        return true;
    if (run->last - run->first == run->team || !plussi_clock_has_others(run))
        return false;
    return x->cold ? plussi_clock_others_touch_earlier(run)
                   : plussi_clock_others_touch(run, &run->thread[own].touch);
}

void plussi_clock_find_toucher(plussi_clock_run *run, plussi_clock_sample *x)
{
    const plussi_rng drawn = run->rng;
    plussi_rng_seed(&run->rng, run->seed, x->number);
    x->after_other = run->team > 1 && run->options->n_shapes && !run->paths && has_others(run, x);
    run->rng = drawn;
}

void plussi_clock_append_outcomes(plussi_clock_plan *plan, const plussi_clock_plan *from, size_t n)
{
    for (size_t i = 0; i < from->n; i++)
        plan->sample[plan->n + i].row += plan->n;
    if (n)
        memcpy(plan->outcome + plan->n * n, from->outcome, from->n * n * sizeof *from->outcome);
}

static void put_outcomes(plussi_clock_plan *plan, size_t n, uint32_t h)
{
    for (size_t i = 0; i < plan->n && n > 1; i++) {
        plussi_clock_sample *x = &plan->sample[i];
        x->levels = plan->outcome[x->row * n + h];
    }
}

/* Moves the levels. */
static pluss_status append_levels(plussi_estimate *from, size_t hierarchy, plussi_estimate *out)
{
    plussi_level_estimate *all =
        plussi_realloc(&out->mem, out->level, out->n_levels + from->n_levels, sizeof *all);
    if (!all)
        return PLUSS_ENOMEM;
    out->level = all;
    for (size_t i = 0; i < from->n_levels; i++) {
        all[out->n_levels] = from->level[i];
        all[out->n_levels++].hierarchy = hierarchy;
    }
    from->n_levels = 0;
    return PLUSS_OK;
}

pluss_status plussi_clock_count_levels(plussi_clock_plan *plan, const plussi_bound *bound,
                                       const plussi_clock_options *options, uint32_t replications,
                                       plussi_estimate *out)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t h = 0; h < options->n_hierarchies && !status; h++) {
        const plussi_clock_options one = take_hierarchy(options, h);
        plussi_estimate part;
        plussi_estimate_init(&part, &out->mem);
        part.footprint = out->footprint;
        part.footprint_error = out->footprint_error;
        put_outcomes(plan, options->n_hierarchies, h);
        if (h == 0)
            plussi_clock_weigh_firsts(plan, &one, out->footprint);
        status = plussi_clock_count_misses(plan, bound, &one, replications, &part);
        if (!status)
            status = append_levels(&part, h, out);
        plussi_estimate_free(&part);
    }
    return status;
}

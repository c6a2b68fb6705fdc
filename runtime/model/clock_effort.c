/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names what the effort did not suffice for, and its place.
 */
#include "model/clock_state.h"

/* A loop's induction variable or a reference's array; NULL: neither. */
static const char *name_of(const plussi_bound_node *node)
{
    if (node->kind == PLUSSI_N_LOOP)
        return node->decl->u.loop.iv;
    return node->kind == PLUSSI_N_REF ? node->decl->u.ref.array->name : NULL;
}

static pluss_status refuse_effort(plussi_ctx *ctx, const plussi_bound *bound, uint64_t steps,
                                  const plussi_effort *effort)
{
    const plussi_bound_node *node = effort->at;
    if (effort->starved)
        return plussi_fail(ctx, PLUSS_ELIMIT, NULL,
                           "closed-form sampling takes more than %d MB for chunks of loops",
                           PLUSSI_ATTEMPT_MB);
    if (!node)
        return plussi_fail(ctx, PLUSS_ELIMIT, NULL,
                           "closed-form sampling takes more than %llu steps",
                           (unsigned long long)steps);
    plussi_loc loc = plussi_bound_node_loc(bound, node);
    const char *name = name_of(node);
    return plussi_fail(ctx, PLUSS_ELIMIT, &loc,
                       "closed-form sampling takes more than %llu steps: %s%s%s%s",
                       (unsigned long long)steps,
                       node->kind == PLUSSI_N_REF    ? "looking for touches of "
                       : node->kind == PLUSSI_N_LOOP ? "counting the accesses of loop "
                       : node->kind == PLUSSI_N_IF   ? "counting what a condition guards"
                                                     : "counting accesses",
                       name ? "'" : "", name ? name : "", name ? "'" : "");
}

uint64_t plussi_clock_share_of_effort(const plussi_clock_options *options)
{
    uint64_t steps = options->effort / (options->replications + 1);
    return options->effort && !steps ? 1 : steps;
}

pluss_status plussi_clock_attempt(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_clock_options *options, plussi_attempt_fn body,
                                  void *user, plussi_clock_used *used)
{
    uint64_t steps = plussi_clock_share_of_effort(options);
    plussi_effort effort = {.left = steps ? steps : UINT64_MAX};
    size_t told = ctx->n_diags;
    uint64_t given = effort.left;
    pluss_status status = plussi_attempt(ctx, &effort, body, user);
    if (used)
        *used = (plussi_clock_used){given - effort.left, effort.peak};
    return status == PLUSS_ELIMIT && told == ctx->n_diags
               ? refuse_effort(ctx, bound, steps, &effort)
               : status;
}

typedef struct footprint {
    const plussi_bound *bound;
    const plussi_clock_options *options;
    plussi_footprint *lines, *firsts;
    bool alike;
} footprint;

static pluss_status find_footprint(plussi_ctx *ctx, void *user)
{
    footprint *f = user;
    return plussi_clock_footprint(ctx, f->bound, f->options, f->lines, f->firsts, &f->alike);
}

pluss_status plussi_clock_find_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                         const plussi_clock_options *options,
                                         plussi_footprint *lines, plussi_footprint *firsts)
{
    footprint f = {bound, options, lines, firsts, false};
    plussi_clock_used used;
    if (plussi_clock_take_footprint(ctx, bound, options, lines, firsts))
        return PLUSS_OK;
    pluss_status status = plussi_clock_attempt(ctx, bound, options, find_footprint, &f, &used);
    if (!status)
        plussi_clock_keep_footprint(ctx, bound, options, f.alike, used.steps, lines, firsts);
    return status;
}

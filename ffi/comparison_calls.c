/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include "study/comparison.h"

struct pluss_comparison {
    plussi_comparison comparison;
};

_Static_assert((int)PLUSS_GRID_PAPER == (int)PLUSSI_GRID_PAPER, "pluss.h: grids");

static bool is_grid(pluss_grid grid)
{
    return grid == PLUSS_GRID_STRICT || grid == PLUSS_GRID_PAPER;
}

static pluss_difference public_difference(const plussi_pair *pair)
{
    const plussi_difference *d = &pair->difference;
    return (pluss_difference){.size = sizeof(pluss_difference),
                              .mean_abs = d->error.mean_abs,
                              .max_abs = d->error.max_abs,
                              .mean_signed = d->error.mean_signed,
                              .max_at_lines = d->error.max_at,
                              .first_lines = d->first,
                              .last_lines = d->last,
                              .n = d->error.n,
                              .a = pair->a,
                              .b = pair->b};
}

pluss_status pluss_curve_compare(pluss_context *ctx, const pluss_curve *a, const pluss_curve *b,
                                 pluss_grid grid, pluss_difference *out)
{
    plussi_pair pair = {0};
    if (!ctx)
        return PLUSS_EINVAL;
    if (!a || !b || !out || !is_grid(grid))
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status =
        plussi_curve_compare(&ctx->ctx, (const plussi_curve *)a, (const plussi_curve *)b,
                             (plussi_grid)grid, &pair.difference);
    pluss_difference difference = public_difference(&pair);
    return plussi_ffi_leave(ctx,
                            status ? status : plussi_ffi_give(out, &difference, sizeof difference));
}

pluss_status pluss_result_compare(pluss_context *ctx, const pluss_result *a, const pluss_result *b,
                                  const pluss_compare_options *options, pluss_comparison **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!a || !b || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_compare_options taken;
    pluss_status status = plussi_ffi_take(&ctx->ctx, &taken, sizeof taken, options);
    if (!status && !is_grid(taken.grid))
        status = PLUSS_EINVAL;
    pluss_comparison *c = status ? NULL : plussi_calloc(&ctx->ctx.mem, 1, sizeof *c);
    if (!status && !c)
        status = PLUSS_ENOMEM;
    if (!status)
        status = plussi_compare(&ctx->ctx, &a->list, &b->list, (plussi_grid)taken.grid,
                                taken.a_name ? taken.a_name : "the first",
                                taken.b_name ? taken.b_name : "the second", &c->comparison);
    if (status)
        plussi_free(&ctx->ctx.mem, c);
    else
        *out = c;
    return plussi_ffi_leave(ctx, status);
}

void pluss_comparison_free(pluss_comparison *c)
{
    if (!c)
        return;
    plussi_mem mem = c->comparison.mem;
    plussi_comparison_free(&c->comparison);
    plussi_free(&mem, c);
}

pluss_status pluss_comparison_get_info(const pluss_comparison *c, pluss_comparison_info *out)
{
    if (!c || !out)
        return PLUSS_EINVAL;
    pluss_comparison_info info = {.size = sizeof info,
                                  .n = c->comparison.n,
                                  .mean_abs = c->comparison.mean_abs,
                                  .greatest_mean_abs = c->comparison.most,
                                  .n_levels = c->comparison.n_levels,
                                  .greatest_of_levels = c->comparison.most_of_level};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_comparison_get(const pluss_comparison *c, size_t i, pluss_difference *out)
{
    if (!c || !out)
        return PLUSS_EINVAL;
    if (i >= c->comparison.n)
        return PLUSS_ENOTFOUND;
    pluss_difference difference = public_difference(&c->comparison.pair[i]);
    return plussi_ffi_give(out, &difference, sizeof difference);
}

pluss_status pluss_comparison_get_level(const pluss_comparison *c, size_t i,
                                        pluss_level_difference *out)
{
    if (!c || !out)
        return PLUSS_EINVAL;
    if (i >= c->comparison.n_levels)
        return PLUSS_ENOTFOUND;
    const plussi_level_pair *p = &c->comparison.level[i];
    pluss_level_difference difference = {.size = sizeof difference,
                                         .region = p->region,
                                         .name = p->name,
                                         .threads = p->team,
                                         .threads_per_cache = p->threads_per_cache,
                                         .a_misses = p->misses[0],
                                         .b_misses = p->misses[1],
                                         .difference = p->difference,
                                         .error = p->error,
                                         .a_accesses = p->accesses[0],
                                         .b_accesses = p->accesses[1],
                                         .ways = p->ways,
                                         .line_bytes = p->line_bytes};
    return plussi_ffi_give(out, &difference, sizeof difference);
}

static pluss_status report(pluss_context *ctx, const pluss_comparison *c,
                           void (*fill)(const plussi_comparison *, plussi_document *),
                           pluss_report **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!c || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_report *made = plussi_ffi_report(ctx);
    if (made)
        fill(&c->comparison, &made->document);
    return plussi_ffi_give_report(ctx, made, out);
}

pluss_status pluss_comparison_report(pluss_context *ctx, const pluss_comparison *c,
                                     pluss_report **out)
{
    return report(ctx, c, plussi_comparison_report, out);
}

pluss_status pluss_comparison_report_changes(pluss_context *ctx, const pluss_comparison *c,
                                             pluss_report **out)
{
    return report(ctx, c, plussi_changes_report, out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What profiles and curves say about the accesses in the source, and the curves of profiles.
 */
#include <math.h>

#include "study/stage.h"

pluss_status plussi_place_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                   const plussi_bound_node *node, char **file, uint32_t *line)
{
    if (!node->decl->loc.line) /* places in a nest's text are those of a text that the caller may
                                  not have written */
        return PLUSS_OK;
    plussi_loc loc = plussi_bound_node_loc(bound, node);
    *line = loc.line;
    return plussi_copy_text(&ctx->mem, loc.file, file);
}

pluss_status plussi_site_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_bound_node *ref, plussi_site *out)
{
    out->write = ref->u.ref.write;
    out->atomic = ref->u.ref.atomic;
    pluss_status status = plussi_ref_print(ctx, ref->decl, &out->text);
    return status ? status : plussi_place_describe(ctx, bound, ref, &out->file, &out->line);
}

pluss_status plussi_part_describe(plussi_ctx *ctx, const plussi_bound *bound, uint32_t number,
                                  plussi_site *site, char **loop, uint32_t *loop_line)
{
    const plussi_bound_node *ref = bound->ref[number], *around = ref ? ref->parent : NULL;
    pluss_status status = PLUSS_OK;
    while (around && around->kind != PLUSSI_N_LOOP)
        around = around->parent;
    if (ref)
        status = plussi_site_describe(ctx, bound, ref, site);
    if (!status && around)
        status = plussi_copy_text(&ctx->mem, around->decl->u.loop.iv, loop);
    *loop_line = around && around->decl->loc.line ? plussi_bound_node_loc(bound, around).line : 0;
    return status;
}

pluss_status plussi_profile_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                     plussi_profile *profile)
{
    pluss_status status = PLUSS_OK;
    uint32_t line;
    for (size_t i = 0; i < profile->n_parts && !status; i++) {
        plussi_profile_part *part = &profile->part[i];
        status = plussi_part_describe(ctx, bound, part->ref, &part->site, &part->loop, &line);
    }
    return status;
}

pluss_status plussi_pipeline_curve(plussi_ctx *ctx, const plussi_profile *profile, plussi_mrc *out)
{
    if (!(plussi_histo_total(&profile->histo) > 0))
        return plussi_fail(ctx, PLUSS_EEMPTY, NULL, "%s", plussi_pipeline_no_accesses);
    pluss_status status = plussi_profile_curve(ctx, profile, out);
    if (!status && profile->runs <= 1)
        out->accesses = round(out->accesses);
    return status;
}

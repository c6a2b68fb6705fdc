/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile.h"

#include <string.h>

void plussi_site_free(const plussi_mem *mem, plussi_site *site)
{
    plussi_free(mem, site->text);
    plussi_free(mem, site->file);
    *site = (plussi_site){0};
}

pluss_status plussi_profile_init(const plussi_mem *mem, plussi_metric metric,
                                 plussi_profile_scope scope, size_t n_parts, plussi_profile *out)
{
    *out = (plussi_profile){.mem = *mem, .metric = metric, .scope = scope, .runs = 1};
    plussi_histo_init(&out->histo, mem);
    if (n_parts == 0)
        return PLUSS_OK;
    out->part = plussi_calloc(mem, n_parts, sizeof *out->part);
    if (!out->part)
        return PLUSS_ENOMEM;
    for (; out->n_parts < n_parts; out->n_parts++) {
        out->part[out->n_parts].ref = (uint32_t)out->n_parts;
        plussi_histo_init(&out->part[out->n_parts].histo, mem);
    }
    return PLUSS_OK;
}

static void free_parts(plussi_profile *profile)
{
    for (size_t i = 0; i < profile->n_parts; i++) {
        plussi_site_free(&profile->mem, &profile->part[i].site);
        plussi_free(&profile->mem, profile->part[i].loop);
        plussi_histo_free(&profile->part[i].histo);
    }
    plussi_free(&profile->mem, profile->part);
    profile->part = NULL;
    profile->n_parts = 0;
}

pluss_status plussi_profile_copy(const plussi_mem *mem, const plussi_profile *profile,
                                 plussi_profile *out)
{
    pluss_status status = plussi_profile_init(mem, profile->metric, profile->scope, 0, out);
    if (!status)
        status = plussi_identity_copy(mem, &profile->id, &out->id);
    if (!status)
        status = plussi_histo_merge(&out->histo, &profile->histo, 1);
    out->sharing = profile->sharing;
    out->phase = profile->phase;
    out->runs = profile->runs;
    out->footprint_lines = profile->footprint_lines;
    return status;
}

void plussi_profile_free(plussi_profile *profile)
{
    free_parts(profile);
    plussi_identity_free(&profile->mem, &profile->id);
    if (profile->histo.slot)
        plussi_histo_free(&profile->histo);
    *profile = (plussi_profile){.mem = profile->mem};
}

/* ---- merging --------------------------------------------------------------------------------- */

const char *plussi_profile_mergeable(const plussi_profile *a, const plussi_profile *b)
{
    return a->metric != b->metric                               ? "metrics"
           : a->scope != b->scope                               ? "scopes"
           : a->sharing != b->sharing || a->phase != b->phase   ? "phases"
           : a->id.team != b->id.team                           ? "numbers of threads"
           : a->id.threads_per_cache != b->id.threads_per_cache ? "numbers of threads per cache"
           : a->id.line_bytes != b->id.line_bytes               ? "line sizes"
           : !plussi_same_text(a->id.region, b->id.region)      ? "regions"
           : !plussi_identity_same_values(&a->id, &b->id)       ? "values"
                                                                : NULL;
}

static bool same_parts(const plussi_profile *a, const plussi_profile *b)
{
    bool same = a->n_parts == b->n_parts;
    for (size_t i = 0; i < a->n_parts && same; i++)
        same = a->part[i].ref == b->part[i].ref &&
               plussi_same_text(a->part[i].site.text, b->part[i].site.text) &&
               a->part[i].site.line == b->part[i].site.line;
    return same;
}

pluss_status plussi_profile_merge(plussi_ctx *ctx, plussi_profile *dst, const plussi_profile *src)
{
    const char *differ = plussi_profile_mergeable(dst, src);
    if (differ)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "profiles of different %s cannot be added up",
                           differ);
    bool parts = same_parts(dst, src);
    plussi_profile sum;
    pluss_status status =
        plussi_profile_init(&dst->mem, dst->metric, dst->scope, parts ? dst->n_parts : 0, &sum);
    const plussi_profile *const added[] = {dst, src};
    for (int k = 0; k < 2 && !status; k++) {
        status = plussi_histo_merge(&sum.histo, &added[k]->histo, 1);
        for (size_t i = 0; i < sum.n_parts && !status; i++)
            status = plussi_histo_merge(&sum.part[i].histo, &added[k]->part[i].histo, 1);
    }
    if (!status) { /* what is swapped out is freed with sum */
        plussi_histo histo = dst->histo;
        dst->histo = sum.histo;
        sum.histo = histo;
        for (size_t i = 0; i < sum.n_parts; i++) {
            histo = dst->part[i].histo;
            dst->part[i].histo = sum.part[i].histo;
            sum.part[i].histo = histo;
        }
        if (!parts)
            free_parts(dst);
        dst->runs += src->runs;
        if (dst->footprint_lines < src->footprint_lines)
            dst->footprint_lines = src->footprint_lines;
    }
    plussi_profile_free(&sum);
    return status;
}

pluss_status plussi_profile_curve(plussi_ctx *ctx, const plussi_profile *profile, plussi_mrc *out)
{
    pluss_status status = profile->metric == PLUSSI_METRIC_DISTANCE
                              ? plussi_mrc_from_rd(ctx, &profile->histo, out)
                              : plussi_mrc_from_ri(ctx, &profile->histo, out);
    if (!status)
        out->accesses /= profile->runs;
    return status;
}

const char *plussi_metric_name(plussi_metric metric)
{
    return metric == PLUSSI_METRIC_DISTANCE ? "distance" : "interval";
}

const char *plussi_scope_name(int scope)
{
    static const char *const name[] = {"private", "concurrent", "coherent", "apart"};
    return scope < PLUSSI_SCOPES ? name[scope] : NULL;
}

const char *plussi_sharing_name(int sharing)
{
    static const char *const name[] = {"any", "private", "shared"};
    return sharing <= PLUSSI_SHARING_SHARED ? name[sharing] : NULL;
}

void plussi_profile_formulas_free(const plussi_mem *mem, plussi_profile_formula *formula, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        plussi_free(mem, formula[i].distance);
        plussi_free(mem, formula[i].accesses);
    }
    plussi_free(mem, formula);
}

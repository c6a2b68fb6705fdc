/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/curve_levels.h"

#include <math.h>
#include <string.h>

#include "study/level_results.h"

/* ---- references -------------------------------------------------------------------------------
 */

/* The profile that the curve is of; NULL: there is none by reference. */
static const plussi_profile *find_profile(const plussi_result *result, const plussi_curve *curve)
{
    const plussi_identity *id = &curve->id;
    for (size_t i = 0; i < result->n_profiles; i++) {
        const plussi_profile *p = &result->profile[i];
        if (p->n_parts && !p->sharing && p->id.team == id->team && p->id.line == id->line &&
            p->id.threads_per_cache == id->threads_per_cache &&
            p->id.line_bytes == id->line_bytes && p->id.simulated == id->simulated &&
            plussi_same_text(p->id.schedule, id->schedule) &&
            strcmp(p->id.region, id->region) == 0 && plussi_identity_same_values(&p->id, id))
            return p;
    }
    return NULL;
}

/* Accesses of which the longest are misses: those beyond `key`, and a part of those at it. */
typedef struct cut {
    uint64_t key;
    double part;
} cut;

/* misses: of all accesses of the histogram. */
static pluss_status find_cut(const plussi_histo *histo, double misses, cut *out)
{
    plussi_bin *bin = NULL;
    size_t n = 0;
    pluss_status status = plussi_histo_sorted(histo, &bin, &n);
    if (status)
        return status;
    double left = misses - plussi_histo_keyless(histo);
    *out = (cut){.key = UINT64_MAX};
    while (n-- > 0 && left > 0) {
        *out = (cut){bin[n].key, fmin(left / bin[n].weight, 1)};
        left -= bin[n].weight;
    }
    plussi_free(&histo->mem, bin);
    return PLUSS_OK;
}

static pluss_status count_beyond(const plussi_histo *histo, const cut *at, double *out)
{
    plussi_bin *bin = NULL;
    size_t n = 0;
    pluss_status status = plussi_histo_sorted(histo, &bin, &n);
    if (status)
        return status;
    *out = plussi_histo_keyless(histo);
    for (; n > 0 && bin[n - 1].key >= at->key; n--)
        *out += (bin[n - 1].key > at->key ? 1 : at->part) * bin[n - 1].weight;
    plussi_free(&histo->mem, bin);
    return PLUSS_OK;
}

/* Nothing is known but these. error: negative: none is told. */
static plussi_misses make_misses(double requests, double misses, double error)
{
    plussi_misses made = {.requests = requests,
                          .all = misses,
                          .after_other = NAN,
                          .error = error,
                          .fetched = NAN,
                          .written_back = NAN,
                          .written_back_error = -1};
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        made.kind[k] = NAN;
    return made;
}

static pluss_status fill_part(const plussi_mem *mem, const plussi_profile_part *from,
                              const plussi_profile *profile, const cut *at, plussi_level_part *out)
{
    double misses = 0;
    pluss_status status = count_beyond(&from->histo, at, &misses);
    *out = (plussi_level_part){
        .ref = from->ref,
        .site = {.write = from->site.write, .atomic = from->site.atomic, .line = from->site.line}};
    out->misses =
        make_misses(plussi_histo_total(&from->histo) / profile->runs, misses / profile->runs, -1);
    if (!status)
        status = plussi_copy_text(mem, from->site.text, &out->site.text);
    if (!status)
        status = plussi_copy_text(mem, from->site.file, &out->site.file);
    return status ? status : plussi_copy_text(mem, from->loop, &out->loop);
}

static pluss_status fill_parts(const plussi_mem *mem, const plussi_profile *profile, double ratio,
                               plussi_level_result *out)
{
    cut at;
    pluss_status status =
        find_cut(&profile->histo, ratio * plussi_histo_total(&profile->histo), &at);
    if (status)
        return status;
    if (!(out->part = plussi_calloc(mem, profile->n_parts, sizeof *out->part)))
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < profile->n_parts && !status; i++)
        if (plussi_histo_total(&profile->part[i].histo) > 0)
            status = fill_part(mem, &profile->part[i], profile, &at, &out->part[out->n_parts++]);
    return status;
}

/* ---- levels -----------------------------------------------------------------------------------
 */

static pluss_status add_level(const plussi_result *from, const plussi_curve *curve,
                              const plussi_cache_level *level, plussi_result *to)
{
    const double lines = (double)(level->bytes / curve->id.line_bytes);
    const double ratio = plussi_mrc_at(&curve->mrc, lines), accesses = curve->mrc.accesses;
    const double error = curve->n_error ? plussi_curve_error_at(curve, lines) * accesses : -1;
    const plussi_profile *profile = find_profile(from, curve);
    plussi_level_result made = {.level = *level,
                                .accesses = accesses,
                                .n_points = 1,
                                .misses = make_misses(accesses, ratio * accesses, error)};
    made.level.ways = 0;
    pluss_status status = plussi_identity_copy(&to->mem, &curve->id, &made.id);
    if (!status && profile)
        status = fill_parts(&to->mem, profile, ratio, &made);
    if (!status)
        status = plussi_result_add_level(to, &made);
    plussi_level_result_free(&to->mem, &made);
    return status;
}

/* 0: all threads of the team. */
static uint32_t shared_by(const plussi_curve *curve)
{
    return curve->id.threads_per_cache < curve->id.team ? curve->id.threads_per_cache : 0;
}

static pluss_status add_levels(plussi_ctx *ctx, const plussi_request *request,
                               const plussi_result *from, const plussi_curve *curve,
                               plussi_result *to)
{
    plussi_hierarchies h = {0};
    plussi_request own = *request;
    own.line_bytes = curve->id.line_bytes;
    pluss_status status = plussi_levels_of_request(ctx, &own, curve->id.team, &h);
    for (size_t i = 0; i < h.of[0].n && !status; i++) {
        const uint32_t threads = plussi_level_threads(&h.of[0], i, curve->id.team);
        const bool same = threads == shared_by(curve) || curve->id.team == 1;
        if (same)
            status = add_level(from, curve, &h.of[0].level[i], to);
    }
    return status;
}

pluss_status plussi_derive_levels(plussi_ctx *ctx, const plussi_request *request,
                                  plussi_result *result)
{
    plussi_result made;
    pluss_status status = PLUSS_OK;
    plussi_result_init(&made, &result->mem);
    if (!plussi_request_has_levels(request))
        return PLUSS_OK;
    for (size_t i = 0; i < result->n && !status; i++)
        status = add_levels(ctx, request, result, &result->curve[i], &made);
    if (!status && !made.n_levels)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, NULL,
                             "no curve is of caches that as many threads share as of these levels");
    if (!status) {
        for (size_t i = 0; i < result->n_levels; i++)
            plussi_level_result_free(&result->mem, &result->level[i]);
        result->n_levels = 0;
        status = plussi_result_append(result, &made);
    }
    plussi_result_free(&made);
    return status;
}

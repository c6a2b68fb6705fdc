/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What predicted and simulated co-runs have in common: what may be asked for, and the curves in the
 * shared cache.
 */
#include "study/corun.h"

#include <stdio.h>
#include <string.h>

#include "report/sink.h"
#include "study/evaluate.h"

double plussi_corun_rate(const plussi_request *request, size_t i)
{
    return request->n_rates ? request->rate[i] : 1;
}

pluss_status plussi_corun_check(plussi_ctx *ctx, const plussi_program *program, size_t n,
                                const plussi_request *request)
{
    const char *what = NULL;
    if (n < 2 || n > PLUSSI_PROGRAMS_MOST)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a co-run has 2 to %d programs, not %zu",
                           PLUSSI_PROGRAMS_MOST, n);
    if (request->n_rates && request->n_rates != n)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%zu programs with %zu rates", n,
                           request->n_rates);
    if (request->as_recorded || request->progress.law == PLUSSI_PROGRESS_RECORDED)
        what = "recorded schedules and recorded progress";
    else if (request->levels_asked_for && plussi_request_has_levels(request))
        what = "caches of sets and ways";
    else if (request->lines.n > 1)
        what = "lines of several sizes";
    for (size_t i = 0; i < request->n_caches && !what; i++)
        if (request->cache[i].threads)
            what = "caches of some of the threads";
    if (what)
        return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL, "%s are not for co-runs", what);
    for (size_t i = 0; i < n; i++) {
        const plussi_profile *p = program[i].profile;
        if (p && p->id.line_bytes != request->line_bytes)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                               "the profile of '%s' is of lines of %u bytes, not of %u",
                               p->id.region, p->id.line_bytes, request->line_bytes);
        if (p && (p->scope != PLUSSI_SCOPE_CONCURRENT || p->id.threads_per_cache))
            return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                               "the profile of '%s' is not of a cache that all its threads share",
                               p->id.region);
    }
    return PLUSS_OK;
}

pluss_status plussi_corun_request(plussi_ctx *ctx, const plussi_program *program,
                                  const plussi_request *request, const uint32_t *team,
                                  plussi_request *out)
{
    pluss_status status = PLUSS_OK;
    if (program->nest)
        status = plussi_request_for(ctx, program->nest, request, out);
    else
        *out = *request;
    if (status)
        return status;
    if (!program->nest)
        out->binding = NULL;
    out->team = team;
    out->n_teams = 1;
    out->n_caches = 0;
    out->levels.hierarchy.n = 0;
    out->machine_levels = false;
    return PLUSS_OK;
}

void plussi_corun_engine(const plussi_request *request, const char *model, size_t n, char *out,
                         size_t room)
{
    size_t at = (size_t)snprintf(out, room, "%s, rates", model);
    for (size_t i = 0; i < n && at < room; i++)
        at += (size_t)snprintf(out + at, room - at, "%s%g", i ? ", " : " ",
                               plussi_corun_rate(request, i));
}

/* ---- curves ------------------------------------------------------------------------------------
 */

/* "2: gemm" */
static pluss_status number_program(plussi_ctx *ctx, plussi_identity *id, size_t i, double rate)
{
    const size_t room = strlen(id->region) + 32;
    char *text = plussi_alloc(&ctx->mem, room, 1);
    if (!text)
        return PLUSS_ENOMEM;
    snprintf(text, room, "%zu: %s", i + 1, id->region);
    plussi_free(&ctx->mem, id->region);
    id->region = text;
    id->program = (uint32_t)i + 1;
    id->rate = rate;
    return PLUSS_OK;
}

/* The identity of a program's curve in the shared cache from that of its curve alone. */
static pluss_status share(plussi_ctx *ctx, const plussi_identity *alone, const char *engine,
                          plussi_identity *out)
{
    pluss_status status = plussi_identity_copy(&ctx->mem, alone, out);
    if (status)
        return status;
    const size_t length = strlen(out->region);
    char *text = plussi_realloc(&ctx->mem, out->region, length + sizeof ", co-run", 1);
    if (!text)
        return PLUSS_ENOMEM;
    memcpy(text + length, ", co-run", sizeof ", co-run");
    out->region = text;
    plussi_free(&ctx->mem, out->engine);
    out->engine = NULL;
    return plussi_copy_text(&ctx->mem, engine, &out->engine);
}

/* That of all programs together. */
static pluss_status describe_all(plussi_ctx *ctx, const plussi_request *request,
                                 const plussi_result *result, const char *engine, uint32_t team,
                                 plussi_identity *out)
{
    *out = (plussi_identity){.team = team,
                             .line_bytes = request->line_bytes,
                             .seed = request->seed,
                             .simulated = result->curve[0].id.simulated};
    pluss_status status = plussi_copy_text(&ctx->mem, "co-run", &out->region);
    if (!status)
        status = plussi_copy_text(&ctx->mem, engine, &out->engine);
    if (!status)
        status = plussi_copy_text(&ctx->mem, "", &out->schedule);
    return status ? status : plussi_pipeline_tell_progress(ctx, request, &out->progress);
}

/* Takes the identity, on failure too. */
static pluss_status add_curve(plussi_ctx *ctx, const plussi_request *request,
                              const plussi_histo *distances, const plussi_identity *id,
                              uint64_t lines, plussi_result *result)
{
    plussi_curve curve = {.id = *id, .footprint_lines = lines};
    plussi_profile profile;
    pluss_status status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE,
                                              PLUSSI_SCOPE_CONCURRENT, 0, &profile);
    if (!status)
        status = plussi_histo_merge(&profile.histo, distances, 1);
    if (!status)
        status = plussi_pipeline_curve(ctx, &profile, &curve.mrc);
    if (!status)
        status = plussi_pipeline_keep(ctx, NULL, request, &profile, &curve, result);
    plussi_curve_free(&ctx->mem, &curve);
    plussi_profile_free(&profile);
    return status;
}

pluss_status plussi_corun_add(plussi_ctx *ctx, const plussi_request *request,
                              const plussi_histo *shared, size_t n, const char *engine,
                              plussi_result *result)
{
    plussi_histo all;
    plussi_identity id = {0};
    uint64_t lines = 0;
    uint32_t team = 0;
    pluss_status status = PLUSS_OK;
    plussi_histo_init(&all, &ctx->mem);
    for (size_t i = 0; i < n && !status; i++) {
        const double rate = plussi_corun_rate(request, i);
        lines += result->curve[i].footprint_lines;
        team += result->curve[i].id.team;
        status = number_program(ctx, &result->curve[i].id, i, rate);
        if (!status && result->n_profiles)
            status = number_program(ctx, &result->profile[i].id, i, rate);
        if (!status)
            status = plussi_histo_merge(&all, &shared[i], 1);
    }
    for (size_t i = 0; i < n && !status; i++) {
        status = share(ctx, &result->curve[i].id, engine, &id);
        if (status)
            plussi_identity_free(&ctx->mem, &id);
        else
            status = add_curve(ctx, request, &shared[i], &id, lines, result);
    }
    if (!status) {
        status = describe_all(ctx, request, result, engine, team, &id);
        if (status)
            plussi_identity_free(&ctx->mem, &id);
        else
            status = add_curve(ctx, request, &all, &id, lines, result);
    }
    plussi_histo_free(&all);
    return status;
}

pluss_status plussi_corun_add_alone(plussi_ctx *ctx, const plussi_program *program,
                                    const plussi_bound *bound, const plussi_request *request,
                                    const plussi_distances *distances, const char *engine,
                                    plussi_result *result)
{
    plussi_curve curve = {
        .id.line_bytes = request->line_bytes, .id.team = 1, .footprint_lines = distances->cold};
    plussi_profile profile;
    pluss_status status = plussi_distances_profile(ctx, distances, 1, false, 1, &profile);
    if (!status && bound) {
        char progress[128];
        plussi_progress_write(&request->progress, progress, sizeof progress);
        return plussi_pipeline_add(ctx, bound, request, true, progress, &profile, &curve, result);
    }
    if (!status)
        status = plussi_copy_text(&ctx->mem, "trace", &curve.id.region);
    if (!status)
        status = plussi_copy_text(&ctx->mem, program->trace, &curve.id.file);
    if (!status)
        status = plussi_copy_text(&ctx->mem, engine, &curve.id.engine);
    if (!status)
        status = plussi_pipeline_add_recorded(ctx, request, &profile, &curve, result);
    plussi_curve_free(&ctx->mem, &curve);
    plussi_profile_free(&profile);
    return status;
}

pluss_status plussi_corun_teams(plussi_ctx *ctx, const plussi_program *program, size_t n,
                                const plussi_request *request, plussi_corun_team_fn each,
                                plussi_result *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t t = 0; t < request->n_teams && !status; t++) {
        plussi_request own;
        plussi_ask_part part;
        const double share = 1 / (double)request->n_teams;
        plussi_ask_as_part(request, NULL, (double)t * share, share, &part, &own);
        status = each(ctx, program, n, &own, &request->team[t], out);
    }
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all stages need: numbers in the nest, the caller's leave to go on, the curve that comes out
 * with what it stands for.
 */
#include "study/stage.h"

#include <stdio.h>
#include <string.h>

#include "report/describe.h"

const char plussi_pipeline_no_accesses[] = "with these values the program has no accesses";

static plussi_bind_options options_of(const plussi_request *request, uint32_t team)
{
    return (plussi_bind_options){.team = team,
                                 .line_bytes = request->line_bytes,
                                 .binding = request->binding,
                                 .n_bindings = request->n_bindings,
                                 .schedule = request->schedule,
                                 .chunk = request->chunk,
                                 .force_schedule = request->schedule != PLUSSI_SCHED_NONE,
                                 .recorded = request->recorded,
                                 .n_recorded = request->n_recorded};
}

pluss_status plussi_pipeline_bind(plussi_ctx *ctx, const plussi_nest *nest,
                                  const plussi_request *request, uint32_t team, plussi_bound **out)
{
    const plussi_bind_options options = options_of(request, team);
    return plussi_bind(ctx, nest, &options, out);
}

bool plussi_pipeline_has_operations(const plussi_nest *nest)
{
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (const plussi_node *n = plussi_nest_walk(&r->body, NULL); n;
             n = plussi_nest_walk(&r->body, (plussi_node *)n))
            if (n->kind == PLUSSI_N_OPS)
                return true;
    return false;
}

pluss_status plussi_pipeline_visit_operations(plussi_ctx *ctx, const plussi_nest *nest,
                                              const plussi_request *request, uint32_t team,
                                              plussi_operation_fn visit, void *user)
{
    const plussi_bind_options options = options_of(request, team);
    return plussi_visit_operations(ctx, nest, &options, visit, user);
}

pluss_status plussi_pipeline_tell_instructions(plussi_ctx *ctx, const plussi_nest *nest,
                                               const plussi_request *request, uint32_t team,
                                               size_t first, plussi_result *result)
{
    if (first == result->n_levels || !plussi_pipeline_has_operations(nest))
        return PLUSS_OK;
    const plussi_bind_options options = options_of(request, team);
    plussi_operations operations;
    plussi_ctx quiet;
    plussi_ctx_init(&quiet, &ctx->mem);
    const pluss_status status = plussi_count_operations(&quiet, nest, &options, &operations);
    if (status && status != PLUSS_ENOMEM)
        plussi_report(ctx, PLUSSI_WARNING, status, NULL, "instructions are not counted: %s",
                      quiet.n_diags ? quiet.diags[quiet.n_diags - 1].text
                                    : plussi_status_text(status));
    plussi_ctx_clear(&quiet);
    for (size_t i = first; i < result->n_levels && !status; i++)
        result->level[i].instructions = plussi_operations_instructions(&operations);
    return status == PLUSS_ENOMEM ? status : PLUSS_OK;
}

pluss_status plussi_pipeline_ask(const plussi_request *request, const char *stage, double done,
                                 uint64_t steps)
{
    return plussi_ask_whether(&request->ask, stage, done, steps);
}

void plussi_ask_as_part(const plussi_request *request, const char *stage, double from, double part,
                        plussi_ask_part *of, plussi_request *out)
{
    *out = *request;
    out->ask = plussi_ask_of_part(&request->ask, stage, from, part, of);
}

/* Adds it to the list unless it is there; 0: of all threads. How many there are then. */
static size_t add_threads_per_cache(uint32_t team, uint32_t threads, uint32_t *list, size_t n)
{
    size_t at = 0;
    threads = threads < team ? threads : 0;
    while (at < n && list[at] != threads)
        at++;
    list[at] = threads;
    return at == n ? n + 1 : n;
}

pluss_status plussi_pipeline_threads_per_cache(plussi_ctx *ctx, const plussi_request *request,
                                               uint32_t team, uint32_t **out, size_t *n)
{
    uint32_t *list = plussi_alloc(&ctx->mem, request->n_caches + 1, sizeof *list);
    if (!list)
        return PLUSS_ENOMEM;
    size_t used = 0;
    for (size_t i = 0; i < request->n_caches; i++)
        used = add_threads_per_cache(team, request->cache[i].threads, list, used);
    if (used == 0)
        list[used++] = 0;
    *out = list;
    *n = used;
    return PLUSS_OK;
}

uint32_t plussi_largest_team(const plussi_bound *bound)
{
    return bound->max_team > bound->team ? bound->max_team : bound->team;
}

size_t plussi_pipeline_other_levels(const plussi_hierarchies *h, const plussi_bound *bound,
                                    const uint32_t *have, size_t n, uint32_t *out)
{
    const uint32_t team = plussi_largest_team(bound);
    size_t used = 0;
    for (size_t i = 0; i < h->of->n; i++) {
        uint32_t one = plussi_level_samples(h->of, h->n, i, team);
        size_t at = 0;
        while (at < n && have[at] != one)
            at++;
        if (at == n)
            used = add_threads_per_cache(team, one, out, used);
    }
    return used;
}

static char *schedule_text(plussi_ctx *ctx, const plussi_request *request)
{
    static const char *const kind[] = {
        [PLUSSI_SCHED_NONE] = "",
        [PLUSSI_SCHED_STATIC] = "static",
        [PLUSSI_SCHED_DYNAMIC] = "dynamic",
        [PLUSSI_SCHED_GUIDED] = "guided",
    };
    char text[48];
    if (request->n_recorded)
        return plussi_strndup(&ctx->mem, "recorded", strlen("recorded"));
    int length = snprintf(text, sizeof text, request->chunk > 0 ? "%s, %lld" : "%s",
                          kind[request->schedule], (long long)request->chunk);
    return plussi_strndup(&ctx->mem, text, (size_t)length);
}

static const char *find_chooser(const plussi_request *request)
{
    return request->progress.law == PLUSSI_PROGRESS_RECORDED ? "record"
           : request->progress.origin                        ? "machine file"
           : request->progress_given                         ? "option"
                                                             : "default";
}

pluss_status plussi_pipeline_tell_progress(plussi_ctx *ctx, const plussi_request *request,
                                           plussi_law_told *out)
{
    const plussi_progress *p = &request->progress;
    const char *name;
    double value;
    pluss_status texts[] = {
        plussi_copy_text(&ctx->mem, plussi_progress_name(p->law), &out->law),
        plussi_copy_text(&ctx->mem, find_chooser(request), &out->from),
        plussi_copy_text(&ctx->mem, p->origin, &out->source),
    };
    pluss_status status = texts[0] ? texts[0] : texts[1] ? texts[1] : texts[2];
    for (size_t i = 0; !status && plussi_progress_number(p, i, &name, &value); i++) {
        char key[24] = "";
        for (size_t k = 0; name[k] && k < sizeof key - 1; k++)
            key[k] = (char)(name[k] >= 'A' && name[k] <= 'Z' ? name[k] - 'A' + 'a' : name[k]);
        status = plussi_law_told_add(&ctx->mem, out, key, value);
    }
    return status;
}

static pluss_status add_hit_rates(plussi_ctx *ctx, const plussi_request *request,
                                  plussi_curve *curve)
{
    const size_t n = request->n_hit_rates;
    if (!n)
        return PLUSS_OK;
    curve->hit_rate = plussi_alloc(&ctx->mem, n, sizeof *curve->hit_rate);
    if (!curve->hit_rate)
        return PLUSS_ENOMEM;
    for (curve->n_hit_rates = 0; curve->n_hit_rates < n; curve->n_hit_rates++) {
        plussi_hit_rate *one = &curve->hit_rate[curve->n_hit_rates];
        *one = request->hit_rate[curve->n_hit_rates];
        const double lines = (double)one->bytes / request->line_bytes;
        one->rate = plussi_mrc_hit_rate(&curve->mrc, lines / one->ways, one->ways);
    }
    return PLUSS_OK;
}

pluss_status plussi_pipeline_keep(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_request *request, plussi_profile *profile,
                                  plussi_curve *curve, plussi_result *result)
{
    pluss_status status = add_hit_rates(ctx, request, curve);
    if (!status && request->profiles) {
        profile->footprint_lines = curve->footprint_lines;
        status = plussi_identity_copy(&profile->mem, &curve->id, &profile->id);
        if (!status && bound)
            status = plussi_profile_describe(ctx, bound, profile);
        if (!status)
            status = plussi_result_add_profile(result, profile);
    }
    return status ? status : plussi_result_add(result, curve);
}

pluss_status plussi_pipeline_add(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_request *request, bool simulated, const char *engine,
                                 plussi_profile *profile, plussi_curve *curve,
                                 plussi_result *result)
{
    curve->id.simulated = simulated;
    curve->id.seed = request->seed;
    curve->id.engine = plussi_strndup(&ctx->mem, engine, strlen(engine));
    curve->id.schedule = schedule_text(ctx, request);
    pluss_status status = curve->id.engine && curve->id.schedule ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = plussi_pipeline_tell_progress(ctx, request, &curve->id.progress);
    if (!status && !curve->mrc.size)
        status = plussi_pipeline_curve(ctx, profile, &curve->mrc);
    if (!status)
        status = plussi_curve_describe(ctx, bound, request->binding, request->n_bindings, curve);
    if (!status)
        status = plussi_pipeline_keep(ctx, bound, request, profile, curve, result);
    plussi_curve_free(&ctx->mem, curve);
    plussi_profile_free(profile);
    return status;
}

pluss_status plussi_pipeline_add_recorded(plussi_ctx *ctx, const plussi_request *request,
                                          plussi_profile *profile, plussi_curve *curve,
                                          plussi_result *result)
{
    plussi_request as_run = *request;
    as_run.progress = (plussi_progress){.law = PLUSSI_PROGRESS_RECORDED};
    curve->id.seed = request->seed;
    curve->id.simulated = !curve->id.engine;
    pluss_status status = plussi_pipeline_curve(ctx, profile, &curve->mrc);
    if (!status && !curve->id.engine)
        status = plussi_copy_text(&ctx->mem, "recorded", &curve->id.engine);
    if (!status)
        status = plussi_copy_text(&ctx->mem, "", &curve->id.schedule);
    if (!status)
        status = plussi_pipeline_tell_progress(ctx, &as_run, &curve->id.progress);
    return status ? status : plussi_pipeline_keep(ctx, NULL, request, profile, curve, result);
}

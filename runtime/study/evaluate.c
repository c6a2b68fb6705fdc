/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/evaluate.h"

#include <string.h>

#include "study/stage.h"
#include "trace/make_timelines.h"

/* ---- bindings ----------------------------------------------------------------------------------
 */

bool plussi_has_symbol(const plussi_nest *nest, const char *text)
{
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next) {
        size_t length = s->region ? strlen(s->region->name) : 0;
        if (strcmp(s->name, text) == 0 ||
            (s->region && strncmp(text, s->region->name, length) == 0 && text[length] == '.' &&
             strcmp(text + length + 1, s->name) == 0))
            return true;
    }
    return false;
}

pluss_status plussi_request_for(plussi_ctx *ctx, const plussi_nest *nest,
                                const plussi_request *request, plussi_request *out)
{
    plussi_binding *kept = plussi_alloc(&ctx->mem, request->n_bindings + 1, sizeof *kept);
    if (!kept)
        return PLUSS_ENOMEM;
    *out = *request;
    out->binding = kept;
    out->n_bindings = 0;
    for (size_t i = 0; i < request->n_bindings; i++)
        if (plussi_has_symbol(nest, request->binding[i].name))
            kept[out->n_bindings++] = request->binding[i];
    return PLUSS_OK;
}

/* ---- blocks of a record ------------------------------------------------------------------------
 */

static bool has_values(const plussi_record_block *block, const plussi_request *request)
{
    for (size_t b = 0; b < request->n_bindings; b++) {
        const plussi_binding *given = &request->binding[b];
        const char *dot = strrchr(given->name, '.');
        for (size_t s = 0; s < block->n_symbols; s++)
            if ((strcmp(block->symbol[s].name, given->name) == 0 ||
                 (dot && strcmp(block->symbol[s].name, dot + 1) == 0)) &&
                block->symbol[s].value != given->value)
                return false;
    }
    return true;
}

size_t plussi_find_block(const plussi_record *record, const plussi_nest *nest,
                         const plussi_request *request, uint32_t team, bool chunks)
{
    const plussi_region *region = nest->first_region;
    size_t found = SIZE_MAX;
    for (size_t i = 0; region && i < record->n_blocks; i++) {
        const plussi_record_block *b = &record->block[i];
        if (strcmp(b->region, region->name) != 0 || b->line != region->loc.line ||
            strcmp(b->file, region->loc.file ? region->loc.file : "") != 0 ||
            b->default_team != team || (chunks && b->n_chunks == 0))
            continue;
        if (has_values(b, request))
            return i;
        found = found == SIZE_MAX && !chunks ? i : found;
    }
    return found;
}

/* ---- one team ----------------------------------------------------------------------------------
 */

typedef struct team_request {
    plussi_request request;
    plussi_timelines *timelines;
    char origin[128];
} team_request;

/* What a run decides: static loops are shared out as they are written. */
static bool is_dispatched(const plussi_node *node)
{
    if (node->kind != PLUSSI_N_LOOP || !node->u.loop.workshare)
        return false;
    plussi_schedule_kind kind = node->u.loop.schedule.kind;
    return kind != PLUSSI_SCHED_NONE && kind != PLUSSI_SCHED_STATIC && kind != PLUSSI_SCHED_AUTO;
}

static bool needs_chunks(const plussi_nest *nest, const plussi_request *request)
{
    if (!request->as_recorded || request->n_recorded)
        return false;
    if (!request->record)
        return true;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (is_dispatched(node))
                return true;
    return false;
}

static bool needs_timelines(const plussi_request *request)
{
    return request->progress.law == PLUSSI_PROGRESS_RECORDED && !request->progress.timelines;
}

static bool needs_machine(const plussi_request *request)
{
    bool pool = request->progress.law == PLUSSI_PROGRESS_POOL;
    return request->machine && request->default_progress &&
           (pool ? request->machine->n_pools > 0 : request->machine->calibrated);
}

/* The block that the request names, or that is found; SIZE_MAX: none, which is said. */
static size_t choose_block(plussi_ctx *ctx, const plussi_nest *nest, uint32_t team,
                           const plussi_request *request, bool chunks)
{
    const plussi_record *record = request->record;
    const char *region = nest->first_region ? nest->first_region->name : "this";
    size_t i = SIZE_MAX;
    if (!record) {
        (void)plussi_fail(ctx, PLUSS_EINVAL, NULL, "recorded %s: a record is needed that has %s",
                          chunks ? "schedules" : "progress", chunks ? "chunks" : "time stamps");
        return SIZE_MAX;
    }
    if (!request->block)
        i = plussi_find_block(record, nest, request, team, chunks);
    else if (request->block->default_team == team && (!chunks || request->block->n_chunks > 0))
        i = (size_t)(request->block - record->block);
    if (i == SIZE_MAX)
        (void)plussi_fail(ctx, PLUSS_ENOTFOUND, &(plussi_loc){.file = record->path},
                          "no run of %s with %u thread%s%s", region, team, team == 1 ? "" : "s",
                          chunks ? " and these values, or not its chunks" : "");
    return i;
}

static pluss_status take_chunks(plussi_ctx *ctx, const plussi_nest *nest, uint32_t team,
                                plussi_request *request)
{
    size_t i = choose_block(ctx, nest, team, request, true);
    if (i == SIZE_MAX)
        return request->record ? PLUSS_ENOTFOUND : PLUSS_EINVAL;
    request->recorded = request->record->block[i].chunk;
    request->n_recorded = request->record->block[i].n_chunks;
    return PLUSS_OK;
}

static pluss_status take_timelines(plussi_ctx *ctx, const plussi_nest *nest, uint32_t team,
                                   team_request *s)
{
    size_t i = choose_block(ctx, nest, team, &s->request, false);
    if (i == SIZE_MAX)
        return s->request.record ? PLUSS_ENOTFOUND : PLUSS_EINVAL;
    const plussi_record_block *block = &s->request.record->block[i];
    pluss_status status =
        block->time
            ? plussi_pipeline_chunk_timelines(ctx, nest, &s->request, team, block, &s->timelines)
            : plussi_pipeline_timelines(ctx, s->request.record, i, &nest, 1, &s->timelines);
    if (status == PLUSS_EIO)
        plussi_report(ctx, PLUSSI_NOTE, PLUSS_EIO, NULL,
                      "time stamps are left by programs that pluss cc --mode=time has built");
    s->request.progress.timelines = s->timelines;
    return status;
}

static void take_rates(const plussi_nest *nest, uint32_t team, team_request *s)
{
    const plussi_region *only = nest->first_region;
    if (only && only->next)
        only = NULL;
    plussi_machine_file_fill(s->request.machine, only ? only->name : NULL,
                             only ? only->loc.file : NULL, team, &s->request.progress,
                             &s->request.progress, s->origin);
}

static pluss_status check_chunks(plussi_ctx *ctx, const plussi_nest *nest,
                                 const plussi_request *request)
{
    for (size_t i = 0; i < request->n_recorded; i++)
        if (request->recorded[i].loop >= nest->n_loops)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "chunks of loop %u: the nest has %u loops",
                               request->recorded[i].loop, nest->n_loops);
    return PLUSS_OK;
}

static pluss_status evaluate_team(plussi_ctx *ctx, const plussi_nest *nest,
                                  const plussi_request *request, const uint32_t *team,
                                  plussi_study_fn engine, plussi_result *out)
{
    team_request s = {.request = *request};
    pluss_status status = PLUSS_OK;
    s.request.team = team;
    s.request.n_teams = 1;
    if (needs_machine(request))
        take_rates(nest, *team, &s);
    if (needs_chunks(nest, request))
        status = take_chunks(ctx, nest, *team, &s.request);
    if (!status && needs_timelines(request))
        status = take_timelines(ctx, nest, *team, &s);
    if (!status)
        status = check_chunks(ctx, nest, &s.request);
    if (!status)
        status = engine(ctx, nest, &s.request, out);
    plussi_timelines_free(s.timelines);
    return status;
}

pluss_status plussi_evaluate_teams(plussi_ctx *ctx, const plussi_nest *nest,
                                   const plussi_request *request, plussi_study_fn engine,
                                   plussi_result *out)
{
    if (!needs_chunks(nest, request) && !needs_timelines(request) && !needs_machine(request)) {
        pluss_status status = check_chunks(ctx, nest, request);
        return status ? status : engine(ctx, nest, request, out);
    }
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < request->n_teams && !status; i++) {
        plussi_request own;
        plussi_ask_part part;
        const double share = 1 / (double)request->n_teams;
        plussi_ask_as_part(request, NULL, (double)i * share, share, &part, &own);
        status = evaluate_team(ctx, nest, &own, &request->team[i], engine, &result);
    }
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    return status;
}

pluss_status plussi_evaluate_pri(plussi_ctx *ctx, const plussi_nest *nest,
                                 const plussi_request *request, plussi_pri *out)
{
    plussi_request own = *request;
    pluss_status status = PLUSS_OK;
    if (needs_chunks(nest, request))
        status = take_chunks(ctx, nest, request->team[0], &own);
    if (!status)
        status = check_chunks(ctx, nest, &own);
    return status ? status : plussi_pipeline_pri(ctx, nest, &own, out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store of results knows a bound nest by: the nest's text, which parses to the same nest
 * again, and all options of binding.
 */
#include <string.h>

#include "study/stage.h"

static bool has_contents(const plussi_nest *nest)
{
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        if (a->has_values)
            return true;
    return false;
}

static void add_values(plussi_kept_key *key, const plussi_request *request)
{
    plussi_kept_key_add_number(key, request->n_bindings);
    for (size_t i = 0; i < request->n_bindings; i++) {
        plussi_kept_key_add(key, request->binding[i].name, strlen(request->binding[i].name));
        plussi_kept_key_add_number(key, (uint64_t)request->binding[i].value);
    }
    plussi_kept_key_add_number(key, request->line_bytes);
}

static void add_team(plussi_kept_key *key, const plussi_request *request, uint32_t team)
{
    plussi_kept_key_add_number(key, team);
    plussi_kept_key_add_number(key, request->schedule);
    plussi_kept_key_add_number(key, (uint64_t)request->chunk);
}

pluss_status plussi_pipeline_begin_kept(plussi_ctx *ctx, const plussi_nest *nest,
                                        const plussi_request *request, uint32_t team,
                                        plussi_kept_program *out)
{
    char *text = NULL;
    size_t length = 0;
    *out = (plussi_kept_program){0};
    if (!request->kept || request->n_recorded ||
        request->progress.law == PLUSSI_PROGRESS_RECORDED || has_contents(nest))
        return PLUSS_OK;
    pluss_status status = plussi_nest_print(ctx, nest, &text, &length);
    if (status)
        return status;
    plussi_kept_key_init(&out->exact, &ctx->mem);
    plussi_kept_key_init(&out->any_team, &ctx->mem);
    plussi_kept_key_add(&out->exact, text, length);
    plussi_kept_key_add(&out->any_team, text, length);
    add_values(&out->exact, request);
    add_values(&out->any_team, request);
    add_team(&out->exact, request, team);
    if (strstr(text, "$team"))
        add_team(&out->any_team, request, team);
    plussi_free(&ctx->mem, text);
    out->store = request->kept;
    return PLUSS_OK;
}

void plussi_pipeline_end_kept(plussi_kept_program *program)
{
    if (!program->store)
        return;
    plussi_kept_key_free(&program->exact);
    plussi_kept_key_free(&program->any_team);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request for lines of several sizes: what it asks for is evaluated with each.
 */
#include "study/stage.h"

/* The levels from number `from` on are those of line number i. */
static void number_points(plussi_result *result, size_t from, size_t i, size_t n)
{
    for (size_t k = from; k < result->n_levels; k++) {
        plussi_level_result *l = &result->level[k];
        l->point += (uint32_t)i * l->n_points;
        l->n_points *= (uint32_t)n;
    }
}

pluss_status plussi_pipeline_sweep_lines(plussi_ctx *ctx, const plussi_nest *nest,
                                         const plussi_request *request, plussi_engine_fn engine,
                                         plussi_result *out)
{
    const plussi_sweep *lines = &request->lines;
    pluss_status status = PLUSS_OK;
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    for (size_t t = 0; t < request->n_teams; t++)
        for (size_t i = 0; i < lines->n && !status; i++) {
            plussi_request one;
            plussi_ask_part part;
            const double share = 1 / (double)(request->n_teams * lines->n);
            plussi_ask_as_part(request, NULL, (double)(t * lines->n + i) * share, share, &part,
                               &one);
            const size_t before = result.n_levels;
            one.team = &request->team[t];
            one.n_teams = 1;
            one.line_bytes = lines->value[i];
            one.lines.n = 0;
            status = engine(ctx, nest, &one, &result);
            number_points(&result, before, i, lines->n);
        }
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    return status;
}

pluss_status plussi_pipeline_sweep_trace(plussi_ctx *ctx, const char *path,
                                         const plussi_request *request, plussi_engine_fn engine,
                                         plussi_result *out)
{
    plussi_request own = *request;
    own.trace = path;
    own.team = &(const uint32_t){1}; /* its threads are counted */
    own.n_teams = 1;
    return own.lines.n > 1 ? plussi_pipeline_sweep_lines(ctx, NULL, &own, engine, out)
                           : engine(ctx, NULL, &own, out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/linemap.h"
#include "model/crd.h"
#include "sampler/walking.h"
#include "study/corun.h"
#include "study/evaluate.h"

enum { BATCH = 1024, ASK_EVERY = 1 << 10 /* batches */ };

/* What a trace does alone, exactly. */
typedef struct measured {
    plussi_lru *lru;
    plussi_linemap latest; /* number of the latest access to a line */
    plussi_distances distances;
    uint64_t accesses;
} measured;

static pluss_status measure_line(plussi_ctx *ctx, measured *m, uint64_t line, plussi_cells *cells)
{
    uint64_t *latest = plussi_linemap_at(&m->latest, line);
    const uint64_t distance = plussi_lru_touch(m->lru, line);
    if (!latest)
        return PLUSS_ENOMEM;
    pluss_status status = plussi_count_distance(ctx, &m->distances, distance);
    m->accesses++;
    if (!status && distance != PLUSSI_LRU_COLD)
        status = plussi_cells_add(cells, m->accesses - *latest, distance, 1);
    *latest = m->accesses;
    return status;
}

static pluss_status measure_trace(plussi_ctx *ctx, const plussi_program *program,
                                  const plussi_request *request, plussi_cells *cells,
                                  plussi_result *out)
{
    uint64_t line[BATCH];
    plussi_effort effort = {.left = plussi_walk_effort(request->effort)};
    plussi_corun_source *source = NULL;
    measured m = {0};
    plussi_linemap_init(&m.latest, &ctx->mem);
    pluss_status status = plussi_corun_source_new(ctx, program, request, &effort, &source);
    if (!status)
        status = plussi_lru_new(ctx, &m.lru);
    for (size_t n = 1, round = 0; n && !status; round++) {
        status = plussi_corun_source_next(source, line, BATCH, &n);
        for (size_t i = 0; i < n && !status; i++)
            status = measure_line(ctx, &m, line[i], cells);
        if (!status && (round % ASK_EVERY == 0 || n == 0)) /* at its end it begins again */
            status = plussi_pipeline_ask(request, "read", n ? plussi_corun_source_done(source) : 1,
                                         m.accesses);
    }
    cells->accesses = (double)m.accesses;
    cells->lines = (double)m.distances.cold;
    plussi_cells_list(cells);
    if (!status)
        status = plussi_corun_add_alone(ctx, program, NULL, request, &m.distances, "crd", out);
    plussi_corun_source_free(source);
    plussi_lru_free(m.lru);
    plussi_linemap_free(&m.latest);
    plussi_free(&ctx->mem, m.distances.count);
    return status;
}

static pluss_status take_profile(plussi_ctx *ctx, const plussi_profile *profile, bool keep,
                                 plussi_cells *cells, plussi_result *out)
{
    pluss_status status = plussi_cells_add_profile(cells, profile);
    plussi_cells_list(cells);
    if (!status)
        status = plussi_result_add_curve_of(ctx, out, profile);
    if (status || !keep)
        return status;
    plussi_profile copy;
    status = plussi_profile_copy(&ctx->mem, profile, &copy);
    if (!status)
        status = plussi_result_add_profile(out, &copy);
    plussi_profile_free(&copy);
    return status;
}

/* Its curve alone, and its cells. */
static pluss_status predict_alone(plussi_ctx *ctx, const plussi_program *program,
                                  const plussi_request *request, const uint32_t *team,
                                  plussi_cells *cells, plussi_result *out)
{
    plussi_request own;
    if (program->profile)
        return take_profile(ctx, program->profile, request->profiles, cells, out);
    pluss_status status = plussi_corun_request(ctx, program, request, team, &own);
    if (status)
        return status;
    own.cells = cells;
    if (program->trace)
        return measure_trace(ctx, program, &own, cells, out);
    status = plussi_evaluate_teams(ctx, program->nest, &own, plussi_pipeline_predict, out);
    plussi_free(&ctx->mem, (void *)own.binding);
    return status;
}

static pluss_status predict_team(plussi_ctx *ctx, const plussi_program *program, size_t n,
                                 const plussi_request *request, const uint32_t *team,
                                 plussi_result *out)
{
    plussi_result result;
    plussi_cells *cells = plussi_calloc(&ctx->mem, n, sizeof *cells);
    plussi_histo *shared = plussi_calloc(&ctx->mem, n, sizeof *shared);
    plussi_crd_thread *thread = plussi_calloc(&ctx->mem, n, sizeof *thread);
    char engine[512];
    pluss_status status = cells && shared && thread ? PLUSS_OK : PLUSS_ENOMEM;
    size_t made = 0;
    plussi_result_init(&result, &ctx->mem);
    for (; made < n && !status; made++) {
        plussi_cells_init(&cells[made], &ctx->mem);
        plussi_histo_init(&shared[made], &ctx->mem);
        plussi_request own;
        plussi_ask_part part;
        plussi_ask_as_part(request, NULL, (double)made / (double)n, 1 / (double)n, &part, &own);
        status = predict_alone(ctx, &program[made], &own, team, &cells[made], &result);
        thread[made] = (plussi_crd_thread){.accesses = cells[made].accesses,
                                           .rate = plussi_corun_rate(request, made),
                                           .lines = cells[made].lines,
                                           .cell = cells[made].cell,
                                           .n = cells[made].n,
                                           .out = &shared[made]};
    }
    if (!status)
        status = plussi_crd(ctx, thread, n, PLUSSI_CRD_RANDOM);
    plussi_corun_engine(request, "crd", n, engine, sizeof engine);
    if (!status)
        status = plussi_corun_add(ctx, request, shared, n, engine, &result);
    if (!status)
        status = plussi_result_append(out, &result);
    for (size_t i = 0; i < made; i++) {
        plussi_cells_free(&cells[i]);
        plussi_histo_free(&shared[i]);
    }
    plussi_free(&ctx->mem, cells);
    plussi_free(&ctx->mem, shared);
    plussi_free(&ctx->mem, thread);
    plussi_result_free(&result);
    return status;
}

pluss_status plussi_corun_predict(plussi_ctx *ctx, const plussi_program *program, size_t n,
                                  const plussi_request *request, plussi_result *out)
{
    pluss_status status = plussi_corun_check(ctx, program, n, request);
    return status ? status : plussi_corun_teams(ctx, program, n, request, predict_team, out);
}

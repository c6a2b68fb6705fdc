/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

_Static_assert((int)PLUSS_RECORDED_PROFILE == (int)PLUSSI_RECORDED_PROFILE &&
                   (int)PLUSS_RECORDED_BIND == (int)PLUSSI_RECORDED_BIND &&
                   (int)PLUSS_RECORDED_SAMPLE == (int)PLUSSI_RECORDED_SAMPLE,
               "pluss.h: how a run was recorded");

/* ---- reading ----------------------------------------------------------------------------------
 */

static pluss_status give_record(plussi_ctx *ctx, plussi_record *read, pluss_record **out)
{
    pluss_record *record = plussi_calloc(&ctx->mem, 1, sizeof *record);
    if (!record) {
        plussi_record_free(read);
        return PLUSS_ENOMEM;
    }
    *record = (pluss_record){ctx->mem, read};
    *out = record;
    return PLUSS_OK;
}

pluss_status pluss_record_parse(pluss_context *ctx, const char *text, size_t length,
                                const char *file, pluss_record **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!text || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_record *read = NULL;
    pluss_status status = plussi_record_parse(&ctx->ctx, text, length, file, &read);
    return plussi_ffi_leave(ctx, status ? status : give_record(&ctx->ctx, read, out));
}

pluss_status pluss_record_read(pluss_context *ctx, const char *path, pluss_record **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!path || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_record *read = NULL;
    pluss_status status = plussi_record_read(&ctx->ctx, path, &read);
    return plussi_ffi_leave(ctx, status ? status : give_record(&ctx->ctx, read, out));
}

void pluss_record_free(pluss_record *record)
{
    if (!record)
        return;
    plussi_mem mem = record->mem;
    plussi_record_free(record->record);
    plussi_free(&mem, record);
}

/* ---- looking ----------------------------------------------------------------------------------
 */

static uint64_t count_runs(const plussi_record_node *node, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t runs = node[i].n ? count_runs(node[i].body, node[i].n) : 1;
        if (__builtin_mul_overflow(runs, node[i].times, &runs) ||
            __builtin_add_overflow(sum, runs, &sum))
            return UINT64_MAX;
    }
    return sum;
}

pluss_status pluss_record_get_info(const pluss_record *record, pluss_record_info *out)
{
    if (!record || !out)
        return PLUSS_EINVAL;
    const plussi_record *r = record->record;
    pluss_record_info info = {.size = sizeof info,
                              .line_bytes = r->line_bytes,
                              .n_blocks = r->n_blocks,
                              .lost_runs = r->lost_runs,
                              .n_objects = r->n_objects,
                              .objects = r->object,
                              .runs = count_runs(r->sequence, r->n_sequence),
                              .runs_lost = r->sequence_lost};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_record_get_block(const pluss_record *record, size_t i, pluss_block_info *out)
{
    if (!record || !out)
        return PLUSS_EINVAL;
    if (i >= record->record->n_blocks)
        return PLUSS_ENOTFOUND;
    const plussi_record_block *b = &record->record->block[i];
    pluss_block_info info = {.size = sizeof info,
                             .region = b->region,
                             .file = b->file,
                             .line = b->line,
                             .team = b->default_team,
                             .by = (pluss_recorded_by)b->by,
                             .runs = b->runs,
                             .lost = b->lost,
                             .n_symbols = b->n_symbols,
                             .symbols = (const pluss_binding *)b->symbol,
                             .n_arrays = b->n_arrays,
                             .n_places = b->n_places,
                             .arrays = b->array,
                             .addresses = b->address,
                             .has_intervals = plussi_record_has_intervals(b),
                             .n_chunks = b->n_chunks,
                             .chunks = (const pluss_chunk *)b->chunk};
    for (size_t k = 0; k < b->n_threads; k++) {
        info.accesses += b->thread[k].accesses;
        info.lost += b->thread[k].lost;
    }
    return plussi_ffi_give(out, &info, sizeof info);
}

/* ---- nests ------------------------------------------------------------------------------------
 */

/* The nests after the views; NULL: no memory, or a view is NULL (*status says which). */
static const plussi_nest **inner_nests(plussi_ctx *ctx, const pluss_nest *const *nests, size_t n,
                                       pluss_status *status)
{
    const plussi_nest **inner = plussi_calloc(&ctx->mem, n, sizeof *inner);
    *status = inner ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && *status == PLUSS_OK; i++) {
        if (nests[i])
            inner[i] = nests[i]->nest;
        else
            *status = PLUSS_EINVAL;
    }
    return inner;
}

static pluss_status view(plussi_ctx *ctx, plussi_nest *nest, pluss_nest **out)
{
    return plussi_ffi_view(ctx, nest, "record", out);
}

pluss_status pluss_record_nest(pluss_context *ctx, const pluss_record *record, size_t block,
                               int64_t place, const pluss_nest *const *nests, size_t n,
                               pluss_nest **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!record || (!nests && n > 0) || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_nest *nest = NULL;
    pluss_status status;
    const plussi_nest **inner = inner_nests(&ctx->ctx, nests, n, &status);
    if (!status)
        status = plussi_record_nest(&ctx->ctx, record->record, block, place, inner, n, &nest);
    if (!status)
        status = view(&ctx->ctx, nest, out);
    plussi_free(&ctx->ctx.mem, inner);
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_record_program(pluss_context *ctx, const pluss_record *record,
                                  const pluss_nest *const *nests, size_t n, pluss_nest **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!record || (!nests && n > 0) || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_nest *nest = NULL;
    pluss_status status;
    const plussi_nest **inner = inner_nests(&ctx->ctx, nests, n, &status);
    if (!status)
        status = plussi_record_program(&ctx->ctx, record->record, inner, n, &nest);
    if (!status)
        status = view(&ctx->ctx, nest, out);
    plussi_free(&ctx->ctx.mem, inner);
    return plussi_ffi_leave(ctx, status);
}

/* ---- nests of a record -------------------------------------------------------------------------
 */

static pluss_status read_object(pluss_context *ctx, const char *path, size_t *cap, pluss_nests *all,
                                bool *told)
{
    pluss_nests *nests = NULL;
    pluss_status status = pluss_nests_read(ctx, path, &nests);
    *told = status != PLUSS_OK;
    for (size_t i = 0; !status && i < nests->n; i++) {
        status = plussi_grow(&ctx->ctx.mem, &all->nest, cap, all->n, sizeof *nests->nest);
        if (!status) {
            all->nest[all->n++] = nests->nest[i];
            nests->nest[i] = NULL;
        }
    }
    pluss_nests_free(nests);
    return status;
}

pluss_status plussi_ffi_take_nests(pluss_context *ctx, const plussi_record *record,
                                   const pluss_nest *const *nests, size_t n, plussi_ffi_nests *out,
                                   bool *told)
{
    const plussi_mem *mem = &ctx->ctx.mem;
    pluss_status status = PLUSS_OK;
    size_t cap = 0;
    out->read = plussi_calloc(mem, 1, sizeof *out->read);
    if (!out->read)
        return PLUSS_ENOMEM;
    out->read->mem = *mem;
    for (size_t i = 0; !nests && i < record->n_objects && !status; i++)
        status = read_object(ctx, record->object[i], &cap, out->read, told);
    if (status)
        return status;
    if (!nests) {
        nests = (const pluss_nest *const *)out->read->nest;
        n = out->read->n;
    }
    out->nest = plussi_alloc(mem, n + 1, sizeof *out->nest);
    for (; out->nest && out->n < n; out->n++) {
        if (!nests[out->n])
            return PLUSS_EINVAL;
        out->nest[out->n] = nests[out->n]->nest;
    }
    return out->nest ? PLUSS_OK : PLUSS_ENOMEM;
}

void plussi_ffi_drop_nests(pluss_context *ctx, plussi_ffi_nests *nests)
{
    plussi_free(&ctx->ctx.mem, nests->nest);
    pluss_nests_free(nests->read);
}

/* ---- predictions ------------------------------------------------------------------------------
 */

static pluss_status predict(pluss_context *ctx, const pluss_record *record, size_t block,
                            const pluss_nest *nest, const pluss_options *options,
                            pluss_result **out)
{
    if (!record || !nest || !out)
        return PLUSS_EINVAL;
    if (block >= record->record->n_blocks)
        return plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, NULL, "the record has no region %zu", block);
    plussi_request request;
    plussi_ffi_request(ctx, options, &request);
    request.block = &record->record->block[block];
    request.record = record->record;
    pluss_result *result = NULL;
    pluss_status status = plussi_ffi_result(ctx, &result);
    if (status)
        return status;
    status = plussi_evaluate_teams(&ctx->ctx, nest->nest, &request, plussi_pipeline_predict,
                                   &result->list);
    if (status)
        pluss_result_free(result);
    else
        *out = result;
    return status;
}

pluss_status pluss_record_predict(pluss_context *ctx, const pluss_record *record, size_t block,
                                  const pluss_nest *nest, const pluss_options *options,
                                  pluss_result **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    return plussi_ffi_leave(ctx, predict(ctx, record, block, nest, options, out));
}

static pluss_status simulate(pluss_context *ctx, const pluss_record *record, size_t block,
                             pluss_result **out)
{
    plussi_request request;
    pluss_result *result = NULL;
    if (block != SIZE_MAX && block >= record->record->n_blocks)
        return plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, NULL, "the record has no region %zu", block);
    plussi_ffi_request(ctx, NULL, &request);
    pluss_status status = plussi_ffi_result(ctx, &result);
    if (status)
        return status;
    status = plussi_pipeline_simulate_touches(&ctx->ctx, record->record, block, NULL, NULL,
                                              &request, &result->list);
    if (status)
        pluss_result_free(result);
    else
        *out = result;
    return status;
}

pluss_status pluss_record_simulate(pluss_context *ctx, const pluss_record *record, size_t block,
                                   pluss_result **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!record || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    return plussi_ffi_leave(ctx, simulate(ctx, record, block, out));
}

pluss_status pluss_record_get_trace(pluss_context *ctx, const pluss_record *record,
                                    pluss_trace_info *out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!record || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_trace_reader *trace = NULL;
    pluss_trace_info info = {.size = sizeof info};
    pluss_status status = plussi_record_trace(&ctx->ctx, record->record, &trace);
    for (size_t i = 0; !status && i < trace->n_runs; i++)
        ++*(trace->run[i].timed ? &info.timed_runs : &info.touched_runs);
    plussi_trace_close(trace);
    return plussi_ffi_leave(ctx, status ? status : plussi_ffi_give(out, &info, sizeof info));
}

/* ---- time stamps ------------------------------------------------------------------------------
 */

static pluss_status read_timelines(pluss_context *ctx, const pluss_record *record, size_t block,
                                   const pluss_nest *const *nests, size_t n, pluss_timelines **out)
{
    plussi_ctx *inner = &ctx->ctx;
    if (block != SIZE_MAX && block >= record->record->n_blocks)
        return plussi_fail(inner, PLUSS_ENOTFOUND, NULL, "the record has no region %zu", block);
    const plussi_nest **within = plussi_alloc(&inner->mem, n + 1, sizeof *within);
    pluss_timelines *timeline = plussi_calloc(&inner->mem, 1, sizeof *timeline);
    pluss_status status = within && timeline ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        if (nests[i])
            within[i] = nests[i]->nest;
        else
            status = PLUSS_EINVAL;
    }
    if (!status)
        status = plussi_pipeline_timelines(inner, record->record, block, within, n,
                                           &timeline->timelines);
    plussi_free(&inner->mem, within);
    if (status) {
        plussi_free(&inner->mem, timeline);
        return status;
    }
    timeline->mem = inner->mem;
    *out = timeline;
    return PLUSS_OK;
}

pluss_status pluss_timelines_read(pluss_context *ctx, const pluss_record *record, size_t block,
                                  const pluss_nest *const *nests, size_t n, pluss_timelines **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!record || (n && !nests) || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    return plussi_ffi_leave(ctx, read_timelines(ctx, record, block, nests, n, out));
}

void pluss_timelines_free(pluss_timelines *timeline)
{
    if (!timeline)
        return;
    plussi_mem mem = timeline->mem;
    plussi_timelines_free(timeline->timelines);
    plussi_free(&mem, timeline);
}

pluss_status pluss_timelines_get_info(const pluss_timelines *timeline, pluss_timelines_info *out)
{
    if (!timeline || !out)
        return PLUSS_EINVAL;
    const plussi_timeline *run = &timeline->timelines->run[0];
    pluss_timelines_info info = {
        .size = sizeof info, .runs = timeline->timelines->n, .phases = run->n_phases};
    double accesses = 0;
    for (size_t p = 0; p < run->n_phases; p++) {
        const plussi_timeline_phase *phase = &run->phase[p];
        info.team = phase->team > info.team ? phase->team : info.team;
        for (uint32_t k = 0; k < phase->team; k++)
            if (phase->thread[k].n)
                accesses += phase->thread[k].point[phase->thread[k].n - 1].done;
    }
    info.accesses = (uint64_t)accesses;
    return plussi_ffi_give(out, &info, sizeof info);
}

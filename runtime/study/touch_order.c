/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact answer for the order in which a run's threads really touched their lines.
 */
#include <stdio.h>
#include <string.h>

#include "study/stage.h"
#include "trace/recorded.h"
#include "trace/touches.h"

enum { NAMED = 4 };

typedef struct touch_order {
    plussi_ctx *ctx;
    const plussi_request *request;
    plussi_trace_reader *trace;
    plussi_caches cache; /* one, of all threads */
    uint64_t touches;
} touch_order;

static pluss_status count_run(touch_order *r, uint32_t run)
{
    plussi_touches *touches = NULL;
    pluss_status status = plussi_touches_new(r->trace, run, &touches);
    if (!status)
        status = plussi_caches_count(r->ctx, r->request, "trace", plussi_touches_trace(touches),
                                     NULL, &r->cache, 1, NULL, &r->touches);
    plussi_touches_free(touches);
    return status;
}

/* Each run of the block on an empty cache. */
static pluss_status count_block(touch_order *r, size_t block, uint64_t *runs)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < r->trace->n_runs && !status; i++) {
        const plussi_trace_run *run = &r->trace->run[i];
        if (run->timed || run->block != block)
            continue;
        plussi_caches_empty(&r->cache);
        status = count_run(r, run->number);
        ++*runs;
    }
    return status;
}

/* Whether a run of this block has touches; SIZE_MAX: of any. */
static bool has_touches(const plussi_trace_reader *trace, size_t block)
{
    for (size_t i = 0; i < trace->n_runs; i++)
        if (!trace->run[i].timed && (block == SIZE_MAX || trace->run[i].block == block))
            return true;
    return false;
}

/* ---- what the curve stands for ----------------------------------------------------------------
 */

static char *copy(plussi_ctx *ctx, const char *s)
{
    return plussi_strndup(&ctx->mem, s, strlen(s));
}

static pluss_status describe_block(plussi_ctx *ctx, const plussi_record_block *b,
                                   plussi_curve *curve)
{
    curve->id.region = copy(ctx, b->region);
    curve->id.file = copy(ctx, b->file);
    curve->id.line = b->line;
    curve->id.team = b->default_team;
    curve->id.values = plussi_calloc(&ctx->mem, b->n_symbols, sizeof *curve->id.values);
    if (!curve->id.region || !curve->id.file || !curve->id.values)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < b->n_symbols; i++) {
        if (b->symbol[i].value == PLUSSI_RECORD_NO_VALUE)
            continue;
        plussi_value *value = &curve->id.values[curve->id.n_values];
        value->name = copy(ctx, b->symbol[i].name);
        value->value = b->symbol[i].value;
        if (!value->name)
            return PLUSS_ENOMEM;
        curve->id.n_values++;
    }
    return PLUSS_OK;
}

/* "a+b+3 more": the blocks that ran, in their order. */
static pluss_status describe_all(plussi_ctx *ctx, const plussi_record *record,
                                 const plussi_trace_reader *trace, plussi_curve *curve)
{
    size_t room = 32, used = 0, n = 0;
    for (size_t b = 0; b < record->n_blocks; b++)
        room += strlen(record->block[b].region) + 1;
    curve->id.region = plussi_calloc(&ctx->mem, room, 1);
    if (!curve->id.region)
        return PLUSS_ENOMEM;
    curve->id.team = 1;
    for (size_t b = 0; b < record->n_blocks; b++) {
        if (!has_touches(trace, b))
            continue;
        if (n++ < NAMED)
            used += (size_t)snprintf(curve->id.region + used, room - used, n > 1 ? "+%s" : "%s",
                                     record->block[b].region);
        if (record->block[b].default_team > curve->id.team)
            curve->id.team = record->block[b].default_team;
    }
    if (n > NAMED)
        snprintf(curve->id.region + used, room - used, "+%zu more", n - NAMED);
    return PLUSS_OK;
}

static pluss_status give_curve(touch_order *r, const plussi_record *record, size_t block,
                               uint64_t runs, plussi_result *out)
{
    plussi_curve curve = {.id.line_bytes = r->trace->line_bytes,
                          .footprint_lines = (r->cache.d->cold + runs / 2) / runs};
    plussi_profile profile;
    pluss_status status =
        plussi_distances_profile(r->ctx, r->cache.d, 1, false, (double)runs, &profile);
    if (!status)
        status = block < record->n_blocks ? describe_block(r->ctx, &record->block[block], &curve)
                                          : describe_all(r->ctx, record, r->trace, &curve);
    if (!status)
        status = plussi_pipeline_add_recorded(r->ctx, r->request, &profile, &curve, out);
    plussi_curve_free(&r->ctx->mem, &curve);
    plussi_profile_free(&profile);
    return status;
}

pluss_status plussi_pipeline_simulate_touches(plussi_ctx *ctx, const plussi_record *record,
                                              size_t block, const plussi_request *request,
                                              plussi_result *out)
{
    touch_order r = {.ctx = ctx, .request = request};
    uint64_t runs = 0;
    pluss_status status = plussi_record_trace(ctx, record, &r.trace);
    if (!status)
        status = plussi_caches_new(ctx, 1, 0, 1, &r.cache);
    if (!status && block == SIZE_MAX) {
        runs = has_touches(r.trace, SIZE_MAX);
        status = count_run(&r, UINT32_MAX);
    } else if (!status) {
        status = count_block(&r, block, &runs);
    }
    if (!status && runs == 0)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "%s has no touches of such a run",
                             r.trace->path);
    if (!status)
        status = give_curve(&r, record, block, runs, out);
    plussi_caches_free(ctx, &r.cache);
    plussi_trace_close(r.trace);
    return status;
}

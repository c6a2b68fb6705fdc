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
    plussi_bound *bound; /* NULL: no levels */
    plussi_hierarchies hierarchies;
    plussi_level_counter level;
} touch_order;

/* ---- levels ------------------------------------------------------------------------------------
 */

static void tell_no_levels(const touch_order *r, const char *why)
{
    plussi_report(
        r->ctx, r->request->levels_asked_for || r->request->sharing ? PLUSSI_WARNING : PLUSSI_NOTE,
        PLUSS_EUNSUPPORTED, NULL, "levels and sharing of a recorded order are not counted: %s",
        why);
}

static uint32_t largest_team(const plussi_trace_reader *trace, size_t block)
{
    uint32_t team = 1;
    for (size_t i = 0; i < trace->n_runs; i++)
        if (trace->run[i].block == block && trace->run[i].team > team)
            team = trace->run[i].team;
    return team;
}

static pluss_status begin_levels(touch_order *r, const plussi_record_block *block,
                                 const plussi_nest *nest, uint32_t team)
{
    pluss_status status =
        plussi_pipeline_bind(r->ctx, nest, r->request, block->default_team, &r->bound);
    if (!status && plussi_request_has_levels(r->request))
        status = plussi_levels_of_request(r->ctx, r->request, team, &r->hierarchies);
    if (!status)
        status = plussi_level_counter_new(r->ctx, r->bound, &r->hierarchies, r->request, team,
                                          PLUSSI_BATCH, &r->level);
    r->level.by_construct = true;
    return status;
}

static void end_levels(touch_order *r)
{
    plussi_level_counter_free(r->ctx, &r->level);
    if (r->bound)
        plussi_bound_free(r->bound);
    r->bound = NULL;
}

/* Levels where they are asked for and all is known that they need; else it is told what is not. */
static pluss_status prepare_levels(touch_order *r, const plussi_record *record, size_t block,
                                   const plussi_nest *nest, const char *why)
{
    const plussi_request *q = r->request;
    plussi_ctx tried;
    const bool asked_for = q->levels_asked_for || q->sharing;
    if (!(plussi_request_has_levels(q) || q->sharing) || (block >= record->n_blocks && !asked_for))
        return PLUSS_OK;
    if (block >= record->n_blocks)
        why = "those of single regions are, not of the sequence of all runs";
    else if (q->lines.n > 1 || q->line_bytes != r->trace->line_bytes)
        why = "the touches are those of lines of another size";
    else if (nest)
        why = NULL;
    if (why || !nest) {
        tell_no_levels(r, why ? why : "there is no description of the region");
        return PLUSS_OK;
    }
    touch_order quiet = *r;
    plussi_ctx_init(&tried, &r->ctx->mem);
    quiet.ctx = &tried;
    pluss_status status =
        begin_levels(&quiet, &record->block[block], nest, largest_team(r->trace, block));
    if (status)
        end_levels(&quiet);
    r->bound = quiet.bound;
    r->level = quiet.level;
    r->hierarchies = quiet.hierarchies;
    r->level.hierarchies = &r->hierarchies;
    if (status && status != PLUSS_ENOMEM)
        tell_no_levels(r, tried.n_diags ? tried.diags[0].text : plussi_status_text(status));
    plussi_ctx_clear(&tried);
    return status == PLUSS_ENOMEM ? status : PLUSS_OK;
}

/* id: of the curve. */
static pluss_status give_levels(touch_order *r, uint64_t runs, plussi_result *out)
{
    if (!r->bound)
        return PLUSS_OK;
    if (r->level.unsure) {
        tell_no_levels(r, "the record does not tell the references of all touches");
        return PLUSS_OK;
    }
    const plussi_curve *curve = &out->curve[out->n - 1];
    return plussi_add_simulated_levels(r->ctx, &r->level, &curve->id, curve->mrc.accesses, runs,
                                       out);
}

/* ---- counting ----------------------------------------------------------------------------------
 */

static pluss_status count_run(touch_order *r, uint32_t run, const plussi_request *request)
{
    plussi_touches *touches = NULL;
    pluss_status status = plussi_touches_new(r->trace, run, &touches);
    if (!status && r->bound)
        plussi_touches_give_addresses(touches);
    if (!status)
        status = plussi_caches_count(r->ctx, request, "simulate", plussi_touches_count(touches),
                                     plussi_touches_trace(touches), NULL, &r->cache, 1,
                                     r->bound ? &r->level : NULL, &r->touches);
    plussi_touches_free(touches);
    return status;
}

/* Whether it is a run of this block, with touches; SIZE_MAX: of any. */
static bool is_run_of(const plussi_trace_run *run, size_t block)
{
    return !run->timed && (block == SIZE_MAX || run->block == block);
}

/* Each run of the block on an empty cache. */
static pluss_status count_block(touch_order *r, size_t block, uint64_t *runs)
{
    pluss_status status = PLUSS_OK;
    size_t n = 0;
    for (size_t i = 0; i < r->trace->n_runs; i++)
        n += is_run_of(&r->trace->run[i], block);
    for (size_t i = 0; i < r->trace->n_runs && !status; i++) {
        const plussi_trace_run *run = &r->trace->run[i];
        plussi_request own;
        plussi_ask_part part;
        if (!is_run_of(run, block))
            continue;
        plussi_ask_as_part(r->request, NULL, (double)*runs / (double)n, 1 / (double)n, &part, &own);
        plussi_caches_empty(&r->cache);
        if (r->bound)
            status = plussi_level_counter_empty(r->ctx, &r->level);
        if (!status)
            status = count_run(r, run->number, &own);
        ++*runs;
    }
    return status;
}

/* Whether a run of this block has touches; SIZE_MAX: of any. */
static bool has_touches(const plussi_trace_reader *trace, size_t block)
{
    for (size_t i = 0; i < trace->n_runs; i++)
        if (is_run_of(&trace->run[i], block))
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
        if (!plussi_record_has_value(&b->symbol[i]))
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
                                              size_t block, const plussi_nest *nest,
                                              const char *why, const plussi_request *request,
                                              plussi_result *out)
{
    touch_order r = {.ctx = ctx, .request = request};
    uint64_t runs = 0;
    pluss_status status = plussi_record_trace(ctx, record, &r.trace);
    if (!status)
        status = plussi_caches_new(ctx, 1, 0, 1, &r.cache);
    if (!status)
        status = prepare_levels(&r, record, block, nest, why);
    if (!status && block == SIZE_MAX) {
        runs = has_touches(r.trace, SIZE_MAX);
        status = count_run(&r, UINT32_MAX, request);
    } else if (!status) {
        status = count_block(&r, block, &runs);
    }
    if (!status && runs == 0)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "%s has no touches of such a run",
                             r.trace->path);
    if (!status)
        status = give_curve(&r, record, block, runs, out);
    if (!status)
        status = give_levels(&r, runs, out);
    end_levels(&r);
    plussi_caches_free(ctx, &r.cache);
    plussi_trace_close(r.trace);
    return status;
}

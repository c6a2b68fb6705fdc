/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/calibrator.h"

#include <string.h>

#include "study/pipeline.h"
#include "study/recorded_bindings.h"

/* ---- records -----------------------------------------------------------------------------------
 */

static void free_region(const plussi_mem *mem, plussi_region_runs *r)
{
    for (size_t i = 0; i < r->n; i++)
        plussi_timelines_free(r->timelines[i]);
    plussi_free(mem, r->timelines);
    plussi_free(mem, r->region);
    plussi_free(mem, r->file);
    plussi_calibration_free(&r->fit);
}

void plussi_calibrator_free(plussi_calibrator *calibrator)
{
    for (size_t i = 0; i < calibrator->n; i++)
        free_region(&calibrator->mem, &calibrator->region[i]);
    plussi_free(&calibrator->mem, calibrator->region);
    *calibrator = (plussi_calibrator){.mem = calibrator->mem};
}

/* That of the block, which is added where it is new; NULL: no memory. */
static plussi_region_runs *find_region(plussi_calibrator *c, const plussi_record_block *block)
{
    for (size_t i = 0; i < c->n; i++) {
        plussi_region_runs *r = &c->region[i];
        if (r->team == block->default_team && r->line == block->line &&
            strcmp(r->region, block->region) == 0 && strcmp(r->file, block->file) == 0)
            return r;
    }
    if (plussi_grow(&c->mem, &c->region, &c->cap, c->n, sizeof *c->region))
        return NULL;
    plussi_region_runs *r = &c->region[c->n];
    *r = (plussi_region_runs){.line = block->line, .team = block->default_team};
    plussi_arena_init(&r->fit.arena, &c->mem);
    if (plussi_copy_text(&c->mem, block->region, &r->region) ||
        plussi_copy_text(&c->mem, block->file, &r->file)) {
        free_region(&c->mem, r);
        return NULL;
    }
    c->n++;
    return r;
}

/* Takes the timelines. */
static pluss_status add_timelines(plussi_calibrator *c, const plussi_record_block *block,
                                  plussi_timelines *timelines)
{
    plussi_region_runs *r = find_region(c, block);
    if (!r || plussi_grow(&c->mem, &r->timelines, &r->cap, r->n, sizeof *r->timelines)) {
        plussi_timelines_free(timelines);
        return PLUSS_ENOMEM;
    }
    r->timelines[r->n++] = timelines;
    return PLUSS_OK;
}

pluss_status plussi_calibrator_add(plussi_ctx *ctx, plussi_calibrator *calibrator,
                                   const plussi_request *request, const plussi_record *record,
                                   const plussi_nest *const *nests, size_t n)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < record->n_blocks && status != PLUSS_ENOMEM; i++) {
        const plussi_record_block *block = &record->block[i];
        plussi_timelines *timelines = NULL;
        if (block->default_team < 2 || !plussi_wants_region(request, block->region))
            continue;
        status = plussi_pipeline_timelines(ctx, record, i, nests, n, &timelines);
        if (!status)
            status = add_timelines(calibrator, block, timelines);
    }
    return status == PLUSS_ENOMEM ? status : PLUSS_OK;
}

/* ---- fits --------------------------------------------------------------------------------------
 */

static pluss_status fit_region(plussi_ctx *ctx, const plussi_region_runs *r,
                               plussi_calibration *out)
{
    size_t runs = 0, at = 0;
    uint32_t team = 0;
    for (size_t i = 0; i < r->n; i++)
        runs += r->timelines[i]->n;
    plussi_calibrate_run *run = plussi_alloc(&ctx->mem, runs + 1, sizeof *run);
    if (!run)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->timelines[i]->n; k++) {
            const plussi_timeline *timeline = &r->timelines[i]->run[k];
            run[at++] = (plussi_calibrate_run){timeline, (uint32_t)i};
            for (size_t p = 0; p < timeline->n_phases; p++)
                team = timeline->phase[p].team > team ? timeline->phase[p].team : team;
        }
    pluss_status status = plussi_calibrate(ctx, run, runs, team, out);
    plussi_free(&ctx->mem, run);
    return status;
}

pluss_status plussi_calibrator_count_runs(plussi_ctx *ctx, const plussi_calibrator *calibrator,
                                          uint64_t *out)
{
    pluss_status status = PLUSS_OK;
    uint64_t least = UINT64_MAX;
    plussi_ctx quiet; /* what is wrong is told when all are fitted */
    plussi_ctx_init(&quiet, &ctx->mem);
    for (size_t i = 0; i < calibrator->n && status != PLUSS_ENOMEM; i++) {
        plussi_calibration fit = {.n_used = 0};
        status = fit_region(&quiet, &calibrator->region[i], &fit);
        least = fit.n_used < least ? fit.n_used : least;
        if (!status)
            plussi_calibration_free(&fit);
    }
    plussi_ctx_clear(&quiet);
    if (status == PLUSS_ENOMEM)
        return status;
    *out = calibrator->n ? least : 0;
    return PLUSS_OK;
}

/* false: it is left out, which is told. */
static pluss_status judge_region(plussi_ctx *ctx, plussi_region_runs *r, bool *kept)
{
    const plussi_loc loc = {r->file, r->line, 0};
    pluss_status status = fit_region(ctx, r, &r->fit);
    size_t discarded = status ? 0 : r->fit.n_runs - r->fit.n_used;
    *kept = !status && 2 * discarded <= r->fit.n_runs;
    if (status && status != PLUSS_ENOMEM)
        plussi_report(ctx, PLUSSI_ERROR, status, &loc, "%s with %u threads is left out", r->region,
                      r->team);
    else if (!status && !*kept)
        plussi_report(ctx, PLUSSI_ERROR, PLUSS_ENOTFOUND, &loc,
                      "%s with %u threads is left out: in %zu of %zu runs a thread was kept from "
                      "running for more than half of the time",
                      r->region, r->team, discarded, r->fit.n_runs);
    return status == PLUSS_ENOMEM ? status : PLUSS_OK;
}

pluss_status plussi_calibrator_fit(plussi_ctx *ctx, plussi_calibrator *calibrator)
{
    size_t n = calibrator->n, kept = 0;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n; i++) {
        plussi_region_runs *r = &calibrator->region[i];
        bool keep = false;
        if (!status)
            status = judge_region(ctx, r, &keep);
        if (keep)
            calibrator->region[kept++] = *r;
        else
            free_region(&calibrator->mem, r);
    }
    calibrator->n = kept;
    if (!status && !n)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "there are no runs to calibrate with");
    return status || kept ? status : PLUSS_ENOTFOUND;
}

pluss_status plussi_calibrator_put(const plussi_calibrator *calibrator, const char *command,
                                   const char *date, plussi_machine_file *file)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < calibrator->n && !status; i++) {
        const plussi_region_runs *r = &calibrator->region[i];
        const plussi_progress *p = &r->fit.progress;
        const plussi_calibrated_region c = {
            .region = r->region,
            .file = r->file,
            .line = r->line,
            .command = command,
            .date = date,
            .team = r->fit.team,
            .runs = r->fit.n_runs,
            .discarded = r->fit.n_runs - r->fit.n_used,
            .all = {p->sigma, p->skew, p->skew_spread, p->stall_rate, p->stall, r->fit.access},
            .rate = p->rate,
            .loop = p->loop,
            .n_loops = p->n_loops};
        status = plussi_machine_file_merge(file, &c);
    }
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cell of a parameter sweep as rows of one table.
 */
#include <math.h>
#include <string.h>

#include "report/report.h"

enum {
    BEFORE = 2 /* columns before those of sizes, */,
    AFTER = 24 /* and after them */
};

/* docs/sweep.md has their units. */
static const char *const before[BEFORE] = {"cell", "file"};
static const char *const after[AFTER] = {"schedule",
                                         "threads",
                                         "caches",
                                         "model",
                                         "region",
                                         "cache",
                                         "cache_bytes",
                                         "line_bytes",
                                         "ways",
                                         "threads_per_cache",
                                         "accesses",
                                         "footprint_lines",
                                         "requests",
                                         "misses",
                                         "misses_error",
                                         "miss_ratio",
                                         "miss_ratio_error",
                                         "bytes_fetched",
                                         "bytes_written_back",
                                         "seed",
                                         "engine",
                                         "warnings",
                                         "status",
                                         "message"};

enum {
    SCHEDULE,
    THREADS,
    CACHES,
    MODEL,
    REGION,
    CACHE,
    CACHE_BYTES,
    LINE_BYTES,
    WAYS,
    THREADS_PER_CACHE,
    ACCESSES,
    FOOTPRINT,
    REQUESTS,
    MISSES,
    MISSES_ERROR,
    RATIO,
    RATIO_ERROR,
    FETCHED,
    WRITTEN_BACK,
    SEED,
    ENGINE,
    WARNINGS,
    STATUS,
    MESSAGE
};

static plussi_datum known(double value)
{
    return isfinite(value) ? plussi_d_real(value) : plussi_d_null();
}

/* A standard error; negative: none is told. */
static plussi_datum error_datum(double error)
{
    return error < 0 ? plussi_d_null() : known(error);
}

static plussi_table *add_table(const plussi_sweep_cell *cell, plussi_document *document,
                               plussi_heading *heading)
{
    for (size_t i = 0; i < BEFORE; i++)
        heading[i] = (plussi_heading){.key = before[i], .label = before[i]};
    for (size_t i = 0; i < cell->n_sizes; i++) {
        const char *name = plussi_document_text(document, "size_%s", cell->size[i].name);
        heading[BEFORE + i] = (plussi_heading){.key = name, .label = name};
    }
    for (size_t i = 0; i < AFTER; i++)
        heading[BEFORE + cell->n_sizes + i] =
            (plussi_heading){.key = after[i], .label = after[i], .digits = 6};
    return plussi_add_table(document->root, "cells", heading, BEFORE + cell->n_sizes + AFTER);
}

/* What all rows of the cell have; returns the columns after the sizes. */
static plussi_datum *begin_row(const plussi_sweep_cell *cell, plussi_datum *row)
{
    row[0] = plussi_d_count(cell->number);
    row[1] = plussi_d_text(cell->file);
    for (size_t i = 0; i < cell->n_sizes; i++)
        row[BEFORE + i] = plussi_d_integer(cell->size[i].value);
    plussi_datum *d = row + BEFORE + cell->n_sizes;
    for (size_t i = 0; i < AFTER; i++)
        d[i] = plussi_d_null();
    d[SCHEDULE] = plussi_d_text(cell->schedule);
    d[THREADS] = plussi_d_text(cell->threads);
    d[CACHES] = plussi_d_text(cell->caches);
    d[MODEL] = plussi_d_text(cell->model);
    d[WARNINGS] = plussi_d_count(cell->warnings);
    d[STATUS] = plussi_d_text("OK");
    return d;
}

static void put_identity(const plussi_identity *id, plussi_datum *d)
{
    d[THREADS] = plussi_d_count(id->team);
    d[REGION] = plussi_d_text(id->region);
    d[LINE_BYTES] = plussi_d_count(id->line_bytes);
    d[THREADS_PER_CACHE] = plussi_d_count(id->threads_per_cache ? id->threads_per_cache : id->team);
    d[SEED] = plussi_d_count(id->seed);
    d[ENGINE] = plussi_d_text(id->engine);
}

/* The curve of the level's region and team, for its footprint; NULL: there is none. */
static const plussi_curve *curve_of(const plussi_result *result, const plussi_identity *id)
{
    for (size_t i = 0; i < result->n; i++)
        if (result->curve[i].id.team == id->team &&
            plussi_same_text(result->curve[i].id.region, id->region))
            return &result->curve[i];
    return NULL;
}

static void add_level(const plussi_sweep_cell *cell, const plussi_result *result,
                      const plussi_level_result *l, plussi_datum *row, plussi_table *table)
{
    plussi_datum *d = begin_row(cell, row);
    const plussi_misses *m = &l->misses;
    const plussi_curve *curve = curve_of(result, &l->id);
    put_identity(&l->id, d);
    d[CACHE] = plussi_d_text(l->level.name);
    d[CACHE_BYTES] = plussi_d_count(l->level.bytes);
    d[WAYS] = plussi_d_count(l->level.ways ? l->level.ways : l->level.bytes / l->id.line_bytes);
    d[ACCESSES] = plussi_d_real(l->accesses);
    if (curve)
        d[FOOTPRINT] = plussi_d_count(curve->footprint_lines);
    d[REQUESTS] = known(m->requests);
    d[MISSES] = known(m->all);
    d[MISSES_ERROR] = error_datum(m->error);
    d[RATIO] = known(m->all / l->accesses);
    d[RATIO_ERROR] = error_datum(m->error / l->accesses);
    d[FETCHED] = known(m->fetched * l->id.line_bytes);
    d[WRITTEN_BACK] = known(m->written_back * l->id.line_bytes);
    plussi_add_row(table, row);
}

/* A fully associative cache, from the curve of as many threads that share one. */
static void add_size(const plussi_sweep_cell *cell, const plussi_curve *curve,
                     const plussi_report_cache *cache, plussi_datum *row, plussi_table *table)
{
    plussi_datum *d = begin_row(cell, row);
    const plussi_datum ratio = plussi_report_ratio(curve, cache->bytes);
    const double accesses = curve->mrc.accesses;
    put_identity(&curve->id, d);
    d[CACHE] = plussi_d_text(cache->label);
    d[CACHE_BYTES] = plussi_d_count(cache->bytes);
    d[WAYS] = plussi_d_count(cache->bytes / curve->id.line_bytes);
    d[ACCESSES] = d[REQUESTS] = plussi_d_real(accesses);
    d[FOOTPRINT] = plussi_d_count(curve->footprint_lines);
    d[MISSES] = plussi_d_real(ratio.u.real * accesses);
    d[MISSES_ERROR] = error_datum(ratio.error < 0 ? -1 : ratio.error * accesses);
    d[RATIO] = plussi_d_real(ratio.u.real);
    d[RATIO_ERROR] = error_datum(ratio.error);
    plussi_add_row(table, row);
}

static bool is_shared_by(const plussi_curve *curve, const plussi_report_cache *cache)
{
    const uint32_t threads = cache->threads < curve->id.team ? cache->threads : 0;
    return curve->id.threads_per_cache == threads;
}

void plussi_report_cell(plussi_ctx *ctx, const plussi_sweep_cell *cell, const plussi_result *result,
                        const plussi_report_caches *caches, plussi_document *document)
{
    const size_t n = BEFORE + cell->n_sizes + AFTER;
    plussi_heading *heading = plussi_calloc(&ctx->mem, n, sizeof *heading);
    plussi_datum *row = plussi_calloc(&ctx->mem, n, sizeof *row);
    if (!heading || !row) {
        document->status = PLUSS_ENOMEM;
    } else {
        plussi_table *table = add_table(cell, document, heading);
        for (size_t i = 0; result && i < result->n_levels; i++)
            add_level(cell, result, &result->level[i], row, table);
        for (size_t i = 0; result && !result->n_levels && i < result->n; i++)
            for (size_t k = 0; k < caches->n; k++)
                if (is_shared_by(&result->curve[i], &caches->cache[k]))
                    add_size(cell, &result->curve[i], &caches->cache[k], row, table);
        if (cell->status) {
            plussi_datum *d = begin_row(cell, row);
            d[STATUS] = plussi_d_text(plussi_status_name(cell->status));
            d[MESSAGE] = plussi_d_text(cell->message);
            plussi_add_row(table, row);
        }
    }
    plussi_free(&ctx->mem, heading);
    plussi_free(&ctx->mem, row);
}

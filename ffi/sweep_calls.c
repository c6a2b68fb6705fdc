/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "study/sweep_spec.h"

struct pluss_sweep {
    plussi_mem mem;
    plussi_sweep_spec spec;
    size_t n_nests;
    pluss_nests **nests; /* of each file */
    plussi_value *size;  /* of a cell; names borrowed from spec */
    size_t n_sizes;
};

void pluss_sweep_free(pluss_sweep *sweep)
{
    if (!sweep)
        return;
    plussi_mem mem = sweep->mem;
    for (size_t i = 0; i < sweep->n_nests; i++)
        pluss_nests_free(sweep->nests[i]);
    plussi_free(&mem, sweep->nests);
    plussi_free(&mem, sweep->size);
    plussi_sweep_spec_free(&mem, &sweep->spec);
    plussi_free(&mem, sweep);
}

/* ---- what is read ------------------------------------------------------------------------------
 */

/* What the file holds identifies the sweep. Errors were met when it was read as nests. */
static pluss_status identify_file(plussi_ctx *ctx, const char *path, plussi_sweep_spec *spec)
{
    char buffer[1 << 14];
    FILE *file = fopen(path, "rb");
    if (!file)
        return plussi_fail(ctx, PLUSS_EIO, &(plussi_loc){.file = path}, "it cannot be read");
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        plussi_sweep_spec_identify(spec, buffer, n);
    fclose(file);
    return PLUSS_OK;
}

static pluss_status check_trace(plussi_ctx *ctx, const plussi_sweep_spec *spec, const char *path)
{
    static const char *const of_nests[] = {[PLUSSI_DIMENSION_SIZES] = "sizes",
                                           [PLUSSI_DIMENSION_SCHEDULES] = "schedules",
                                           [PLUSSI_DIMENSION_THREADS] = "threads"};
    for (size_t i = 0; i < spec->n; i++) {
        const plussi_dimension *d = &spec->dimension[i];
        if (d->kind <= PLUSSI_DIMENSION_THREADS && of_nests[d->kind] &&
            (d->n > 1 || d->kind == PLUSSI_DIMENSION_SIZES))
            return plussi_fail(ctx, PLUSS_EINVAL, &d->place,
                               "%s: '%s' is a trace, which has its own", of_nests[d->kind], path);
    }
    return PLUSS_OK;
}

static pluss_status read_files(pluss_context *ctx, pluss_sweep *sweep)
{
    plussi_sweep_spec *spec = &sweep->spec;
    const plussi_dimension *files = &spec->dimension[0];
    pluss_status status = PLUSS_OK;
    sweep->nests = plussi_calloc(&ctx->ctx.mem, files->n, sizeof *sweep->nests);
    if (!sweep->nests)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < files->n && !status; i++) {
        status = pluss_nests_read(ctx, files->value[i], &sweep->nests[i]);
        if (status)
            return status;
        sweep->n_nests = i + 1;
        if (pluss_nests_is_trace(sweep->nests[i]))
            status = check_trace(&ctx->ctx, spec, files->value[i]);
        else if (!pluss_nests_count(sweep->nests[i]))
            status = plussi_fail(&ctx->ctx, PLUSS_ENOTFOUND, &(plussi_loc){.file = files->value[i]},
                                 "it has no loop nests");
        if (!status)
            status = identify_file(&ctx->ctx, files->value[i], spec);
    }
    return status;
}

static pluss_status name_sizes(plussi_ctx *ctx, pluss_sweep *sweep)
{
    const plussi_sweep_spec *spec = &sweep->spec;
    size_t n = 0;
    for (size_t i = 0; i < spec->n; i++)
        n += spec->dimension[i].n_symbols;
    sweep->size = plussi_calloc(&ctx->mem, n + 1, sizeof *sweep->size);
    if (!sweep->size)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < spec->n; i++)
        for (size_t k = 0; k < spec->dimension[i].n_symbols; k++)
            sweep->size[sweep->n_sizes++].name = (char *)spec->dimension[i].symbol[k];
    return PLUSS_OK;
}

pluss_status pluss_sweep_parse(pluss_context *ctx, const char *text, size_t length,
                               const char *file, pluss_sweep **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if ((!text && length) || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_sweep *sweep = plussi_calloc(&ctx->ctx.mem, 1, sizeof *sweep);
    if (!sweep)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    sweep->mem = ctx->ctx.mem;
    pluss_status status =
        plussi_sweep_spec_parse(&ctx->ctx, text ? text : "", length, file, &sweep->spec);
    if (!status)
        status = read_files(ctx, sweep);
    if (!status)
        status = name_sizes(&ctx->ctx, sweep);
    if (status)
        pluss_sweep_free(sweep);
    else
        *out = sweep;
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_sweep_get_info(const pluss_sweep *sweep, pluss_sweep_info *out)
{
    if (!sweep || !out)
        return PLUSS_EINVAL;
    pluss_sweep_info info = {sizeof info, sweep->spec.cells, sweep->spec.identity};
    return plussi_ffi_give(out, &info, sizeof info);
}

/* ---- cells -------------------------------------------------------------------------------------
 */

/* The sizes of the cell, in the order of name_sizes. */
static void fill_sizes(const plussi_sweep_spec *spec, uint64_t cell, plussi_value *size)
{
    size_t at = 0;
    for (size_t i = 0; i < spec->n; i++) {
        const plussi_dimension *d = &spec->dimension[i];
        for (size_t k = 0; k < d->n_symbols; k++)
            size[at++].value = d->number[plussi_cell_index(spec, cell, i) * d->n_symbols + k];
    }
}

/* What was said of the cell: how many warnings, and the first error. */
static void tell(const plussi_ctx *ctx, plussi_sweep_cell *cell)
{
    for (size_t i = 0; i < ctx->n_diags; i++) {
        cell->warnings += ctx->diags[i].severity == PLUSSI_WARNING;
        if (ctx->diags[i].severity == PLUSSI_ERROR && !cell->message)
            cell->message = ctx->diags[i].text;
    }
}

/* In a context of its own, so that what is said of the cell goes into its rows alone. */
static pluss_status evaluate(pluss_context *own, const pluss_sweep *sweep, uint64_t number,
                             const plussi_value *size, pluss_status *missing,
                             plussi_document *document)
{
    const plussi_sweep_spec *spec = &sweep->spec;
    pluss_options options;
    pluss_result *result = NULL;
    bool simulated;
    pluss_status status =
        plussi_cell_request(&own->ctx, spec, number, &options.request, &simulated);
    if (!status)
        status = (simulated ? pluss_nests_simulate : pluss_nests_predict)(
            own, sweep->nests[plussi_cell_index(spec, number, 0)], &options, &result);
    plussi_sweep_cell cell = {.number = number,
                              .file = plussi_cell_value(spec, number, PLUSSI_DIMENSION_FILES),
                              .schedule =
                                  plussi_cell_value(spec, number, PLUSSI_DIMENSION_SCHEDULES),
                              .threads = plussi_cell_value(spec, number, PLUSSI_DIMENSION_THREADS),
                              .caches = plussi_cell_value(spec, number, PLUSSI_DIMENSION_CACHES),
                              .model = plussi_cell_value(spec, number, PLUSSI_DIMENSION_MODELS),
                              .size = size,
                              .n_sizes = sweep->n_sizes,
                              .status = status ? status : pluss_result_get_missing(result)};
    *missing = cell.status;
    const bool ends = cell.status == PLUSS_ENOMEM || cell.status == PLUSS_ECANCELLED;
    tell(&own->ctx, &cell);
    if (!ends)
        plussi_report_cell(
            &own->ctx, &cell, result ? &result->list : NULL,
            &(plussi_report_caches){.cache = options.request.cache, .n = options.request.n_caches},
            document);
    pluss_result_free(result);
    plussi_request_free(&options.request);
    return ends ? cell.status : PLUSS_OK;
}

static pluss_status report_cell(pluss_context *ctx, const pluss_sweep *sweep, uint64_t number,
                                plussi_value *size, pluss_status *missing, pluss_report **out)
{
    pluss_context_options quiet = ctx->options;
    pluss_context *own = NULL;
    pluss_report *report = plussi_ffi_report(ctx);
    quiet.size = sizeof quiet;
    quiet.log = NULL;
    pluss_status status = report ? pluss_context_new(&quiet, &own) : PLUSS_ENOMEM;
    if (!status && number == PLUSS_SWEEP_NO_CELL) {
        plussi_report_cell(&ctx->ctx, &(plussi_sweep_cell){.size = size, .n_sizes = sweep->n_sizes},
                           NULL, NULL, &report->document);
    } else if (!status) {
        plussi_kept *const alone = own->kept;
        own->kept = ctx->kept; /* other cells' */
        fill_sizes(&sweep->spec, number, size);
        status = evaluate(own, sweep, number, size, missing, &report->document);
        own->kept = alone;
    }
    pluss_context_free(own);
    if (status) {
        pluss_report_free(report);
        return plussi_ffi_leave(ctx, status);
    }
    return plussi_ffi_give_report(ctx, report, out);
}

pluss_status pluss_sweep_report(pluss_context *ctx, const pluss_sweep *sweep, uint64_t cell,
                                pluss_status *missing, pluss_report **out)
{
    pluss_status none = PLUSS_OK;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!sweep || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    if (cell >= sweep->spec.cells && cell != PLUSS_SWEEP_NO_CELL)
        return plussi_ffi_leave(ctx, PLUSS_ENOTFOUND);
    plussi_value *size = plussi_alloc(&ctx->ctx.mem, sweep->n_sizes + 1, sizeof *size);
    if (!size)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    memcpy(size, sweep->size, sweep->n_sizes * sizeof *size);
    const pluss_status status = report_cell(ctx, sweep, cell, size, &none, out);
    if (!status && missing)
        *missing = none;
    plussi_free(&ctx->ctx.mem, size);
    return status;
}

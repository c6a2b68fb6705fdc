/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "public_target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require_reason(const pluss_context *ctx, pluss_status status)
{
    require(!status || pluss_context_diagnostic_count(ctx) > 0, "no failure without a message");
}

void with_context(const uint8_t *data, size_t size,
                  pluss_status (*use)(pluss_context *ctx, const uint8_t *data, size_t size))
{
    pluss_context *ctx;
    require(pluss_context_new(NULL, &ctx) == PLUSS_OK, "memory");
    require_reason(ctx, use(ctx, data, size));
    pluss_context_free(ctx);
}

static void check_curve(const pluss_curve *curve)
{
    pluss_curve_info info = {.size = sizeof info};
    require(pluss_curve_get_info(curve, &info) == PLUSS_OK, "a curve tells about itself");
    require(info.team >= 1 && info.line_bytes >= 1 && info.accesses >= 0, "a curve is of accesses");
    for (size_t i = 0; i < info.n_points; i++)
        require(info.miss[i] >= 0 && info.miss[i] <= 1 &&
                    (i == 0 || (info.size_lines[i] > info.size_lines[i - 1] &&
                                info.miss[i] <= info.miss[i - 1])),
                "miss ratios are ratios, which do not rise");
    for (size_t i = 0; i < info.n_error_points; i++)
        require(info.error[i] >= 0 && isfinite(info.error[i]), "errors are numbers");
    double miss = pluss_curve_at(curve, UINT64_MAX);
    require(miss >= 0 && miss <= 1, "a miss ratio is a ratio");
}

typedef struct output {
    char *bytes;
    size_t n;
} output;

static int keep(void *user, const char *data, size_t length)
{
    output *o = user;
    o->bytes = realloc(o->bytes, o->n + length + 1);
    require(o->bytes != NULL, "memory");
    memcpy(o->bytes + o->n, data, length);
    o->n += length;
    return 0;
}

static output write_result(pluss_context *ctx, const pluss_result *result, const char *format)
{
    static const pluss_cache cache = {1 << 20, "L2", 0};
    const pluss_report_options options = {.size = sizeof options, .caches = &cache, .n_caches = 1};
    output o = {0};
    pluss_report *report;
    require(pluss_result_report(ctx, result, &options, &report) == PLUSS_OK &&
                pluss_report_write(ctx, report, format, NULL, keep, &o) == PLUSS_OK,
            "a result can be written");
    pluss_report_free(report);
    return o;
}

void check_result(pluss_context *ctx, const pluss_result *result)
{
    pluss_result *again;
    for (size_t i = 0; i < pluss_result_count(result); i++)
        check_curve(pluss_result_get(result, i));
    output first = write_result(ctx, result, "json");
    require(pluss_result_read(ctx, first.bytes, first.n, "written", &again) == PLUSS_OK,
            "what was written can be read");
    output second = write_result(ctx, again, "json");
    require(first.n == second.n && memcmp(first.bytes, second.bytes, first.n) == 0,
            "a second round changes nothing");
    pluss_result_free(again);
    free(first.bytes);
    free(second.bytes);
    free(write_result(ctx, result, "text").bytes);
    free(write_result(ctx, result, "csv").bytes);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* The bytes up to the next 0, which *data moves past. */
static size_t take_part(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, 0, *size) : NULL;
    size_t n = end ? (size_t)(end - *data) : *size, past = end ? n + 1 : n;
    *data += past;
    *size -= past;
    return n;
}

void with_run(const uint8_t *data, size_t size, pluss_status (*use)(fuzz_run *run))
{
    fuzz_run run = {0};
    const uint8_t *record = data;
    size_t left = size, n_nest = take_part(&record, &left);
    const uint8_t *trace = record;
    size_t n_record = take_part(&trace, &left);
    char path[PATH_ROOM];
    put_file("record.trace", trace, left, path);
    put_file("record", record, n_record, path);
    require(pluss_context_new(NULL, &run.ctx) == PLUSS_OK, "memory");
    pluss_status status = pluss_nest_parse(run.ctx, (const char *)data, n_nest, "fuzz", &run.nest);
    if (!status)
        status = pluss_record_read(run.ctx, path, &run.record);
    require_reason(run.ctx, status ? status : use(&run));
    pluss_record_free(run.record);
    pluss_nest_free(run.nest);
    pluss_context_free(run.ctx);
}

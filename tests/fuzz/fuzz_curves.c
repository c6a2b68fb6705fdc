/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a report in JSON: no crash; what is read is sound, and written and read again it is
 * the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
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

static int drop(void *user, const char *data, size_t length)
{
    (void)user;
    (void)data;
    (void)length;
    return 0;
}

static output write_json(plussi_ctx *ctx, const plussi_result *result)
{
    output o = {0};
    plussi_sink sink;
    plussi_sink_init(&sink, keep, &o);
    require(plussi_report_json(ctx, result, &sink) == PLUSS_OK, "what was read can be written");
    return o;
}

static void check_round_trip(plussi_ctx *ctx, const plussi_result *result)
{
    plussi_result again;
    output first = write_json(ctx, result);
    require(plussi_report_json_read(ctx, first.bytes, first.n, "first", &again) == PLUSS_OK,
            "what was written can be read");
    output second = write_json(ctx, &again);
    require(first.n == second.n && memcmp(first.bytes, second.bytes, first.n) == 0,
            "a second round changes nothing");
    plussi_result_free(&again);
    free(first.bytes);
    free(second.bytes);
}

static void check_reports(plussi_ctx *ctx, const plussi_result *result)
{
    static const plussi_report_cache cache = {1 << 20, "L2"};
    plussi_sink sink;
    plussi_sink_init(&sink, drop, NULL);
    require(plussi_report_table(ctx, result, &(plussi_report_caches){.cache = &cache, .n = 1}, &sink) == PLUSS_OK, "a table");
    plussi_sink_init(&sink, drop, NULL);
    require(plussi_report_csv(ctx, result, &sink) == PLUSS_OK, "comma-separated values");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plussi_ctx ctx;
    plussi_result result;
    plussi_ctx_init(&ctx, NULL);
    pluss_status status = plussi_report_json_read(&ctx, (const char *)data, size, "fuzz", &result);
    if (status == PLUSS_OK) {
        check_round_trip(&ctx, &result);
        check_reports(&ctx, &result);
        plussi_result_free(&result);
    } else {
        require(status == PLUSS_EFORMAT, "bad bytes are a bad format");
        require(ctx.n_diags == 1 && ctx.diags[0].severity == PLUSSI_ERROR, "one error says why");
    }
    plussi_ctx_clear(&ctx);
    return 0;
}
